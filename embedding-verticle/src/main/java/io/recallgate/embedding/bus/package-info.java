/**
 * The embedding pool's public event-bus addresses: the JSON of their messages, the endpoint that serves them and the
 * typed client. Ids in messages are the caller's, scoped by a client id that travels as a header. The bus is inside the
 * trust boundary.
 */
@NullMarked
package io.recallgate.embedding.bus;

import org.jspecify.annotations.NullMarked;
