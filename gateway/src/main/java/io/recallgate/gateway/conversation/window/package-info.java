/**
 * What earlier turns of a session left for this one: which memories are to be where they were, and which window goes on. Both
 * are found by the digest of the conversation, not by counting turns, so that a conversation that was wound back, split or
 * begun anew never gets what belongs to another. Pure functions.
 */
@NullMarked
package io.recallgate.gateway.conversation.window;

import org.jspecify.annotations.NullMarked;
