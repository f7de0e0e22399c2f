/**
 * Reads what a model answers, while it passes: whole or streamed, in both protocols, down to what was said and which tools
 * were called. Bounded, and never in the way: what cannot be read is passed on all the same and not remembered.
 */
@NullMarked
package io.recallgate.gateway.conversation.reply;

import org.jspecify.annotations.NullMarked;
