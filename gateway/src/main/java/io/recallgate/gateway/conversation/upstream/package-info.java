/**
 * A conversation's way to its provider and back: one request, sent once, whose answer is handed on piece by piece. The
 * provider may be a real one over HTTP or the demonstration; whoever relays sees no difference.
 */
@NullMarked
package io.recallgate.gateway.conversation.upstream;

import org.jspecify.annotations.NullMarked;
