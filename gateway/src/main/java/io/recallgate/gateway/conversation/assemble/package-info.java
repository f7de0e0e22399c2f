/**
 * Puts memories into a client's request: first a block of text that cannot be taken for anything but data, then the client's
 * bytes with the blocks in their places. Pure functions; on a worker for large bodies.
 */
@NullMarked
package io.recallgate.gateway.conversation.assemble;

import org.jspecify.annotations.NullMarked;
