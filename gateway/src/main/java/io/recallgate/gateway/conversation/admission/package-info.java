/**
 * Who has a conversation now and who waits for one: a plain state machine, and the object that tells it what happens and
 * what time it is.
 */
@NullMarked
package io.recallgate.gateway.conversation.admission;

import org.jspecify.annotations.NullMarked;
