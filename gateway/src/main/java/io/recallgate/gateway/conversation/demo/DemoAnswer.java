package io.recallgate.gateway.conversation.demo;

import io.vertx.core.buffer.Buffer;
import java.util.List;

/**
 * What is answered.
 *
 * @param contentType its media type
 * @param pieces in order; one, unless it is a stream
 */
record DemoAnswer(String contentType, List<Buffer> pieces) {

    /** Copies the list. */
    DemoAnswer {
        pieces = List.copyOf(pieces);
    }

    static DemoAnswer whole(Buffer json) {
        return new DemoAnswer("application/json", List.of(json));
    }

    static DemoAnswer stream(List<Buffer> events) {
        return new DemoAnswer("text/event-stream; charset=utf-8", events);
    }
}
