/**
 * What of a turn is worth remembering, and as what: who said what, and which tools were called with what result. Each memory
 * has an external id that follows from its place in the conversation, so that a turn that is delivered twice is remembered
 * once.
 */
@NullMarked
package io.recallgate.gateway.conversation.remember;

import org.jspecify.annotations.NullMarked;
