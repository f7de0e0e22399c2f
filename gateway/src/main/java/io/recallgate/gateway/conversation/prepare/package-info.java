/**
 * Prepares a turn: from the client's bytes to those that the provider is sent, in one budget. Everything in here is optional
 * to a turn. What does not come in time is left out and labelled, down to the client's own request; what cannot be proven to
 * be safe is not sent.
 */
@NullMarked
package io.recallgate.gateway.conversation.prepare;

import org.jspecify.annotations.NullMarked;
