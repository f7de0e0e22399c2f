/**
 * Makes a conversation fit its model's window: how many tokens its parts are, how many the model takes, and what is shortened
 * or left out when that is not enough. Pure functions on bytes that were read before; on a worker, since counting costs.
 */
@NullMarked
package io.recallgate.gateway.conversation.fit;

import org.jspecify.annotations.NullMarked;
