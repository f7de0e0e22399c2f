package io.recallgate.gateway.conversation.turn;

import io.recallgate.recall.api.Scope;
import io.recallgate.time.CancelSignal;
import io.recallgate.time.Deadline;
import org.jspecify.annotations.Nullable;

/**
 * One conversation request as it came, admitted.
 *
 * @param protocol whose interface it speaks
 * @param scope whose memories
 * @param session as the client named it, null when it did not
 * @param memory what memory may do
 * @param body the JSON; at most 32 MiB
 * @param lifetime when the request is over, whatever it is doing
 * @param cancel fires when the client is gone or the lifetime has passed
 */
public record TurnRequest(
        Protocol protocol,
        Scope scope,
        @Nullable String session,
        MemoryUse memory,
        RequestBody body,
        Deadline lifetime,
        CancelSignal cancel) {}
