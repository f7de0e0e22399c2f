/**
 * What a user of memories sees: drafts, memories, recall requests and responses, and the services that take them. The
 * HTTP routes, the event-bus addresses and the command line all speak through these, so that every entry point has the
 * same bounds and the same envelope. Immutable records only.
 */
@NullMarked
package io.recallgate.recall.api;

import org.jspecify.annotations.NullMarked;
