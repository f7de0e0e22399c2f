package io.recallgate.gateway.http.conversation;

import io.recallgate.failure.FailureException;
import io.recallgate.gateway.conversation.turn.Protocol;
import io.recallgate.gateway.http.failure.Dialect;
import io.vertx.core.buffer.Buffer;

/** A failure as the last event of a stream that has begun, as each protocol's clients understand it. */
final class StreamErrors {

    private StreamErrors() {}

    static Buffer event(Protocol protocol, FailureException failure, String requestId) {
        return Buffer.buffer(
                switch (protocol) {
                    case OPENAI ->
                        "data: " + Dialect.OPENAI.body(failure, requestId).encode() + "\n\n";
                    case ANTHROPIC ->
                        "event: error\ndata: "
                                + Dialect.ANTHROPIC.body(failure, requestId).encode() + "\n\n";
                });
    }
}
