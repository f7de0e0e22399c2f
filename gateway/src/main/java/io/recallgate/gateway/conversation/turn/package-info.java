/**
 * What one turn of a conversation is to everybody who has a part in it: the request as it came, its phases in order, what
 * preparation made of it, and who listens to the answer. No part knows another; all of them know these types.
 */
@NullMarked
package io.recallgate.gateway.conversation.turn;

import org.jspecify.annotations.NullMarked;
