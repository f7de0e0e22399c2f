package io.recallgate.gateway.conversation.upstream;

import io.recallgate.gateway.conversation.turn.Protocol;
import io.vertx.core.MultiMap;
import io.vertx.core.buffer.Buffer;
import java.util.List;

/**
 * What a provider is sent.
 *
 * @param protocol whose interface it speaks
 * @param query of the client's request, without its question mark, empty for none
 * @param headers of the client's request, as they came
 * @param body one piece after the other
 */
public record UpstreamRequest(Protocol protocol, String query, MultiMap headers, List<Buffer> body) {

    /** Copies the list, not the bytes. */
    public UpstreamRequest {
        body = List.copyOf(body);
    }

    /** Bytes of the body. */
    public long bodyBytes() {
        return body.stream().mapToLong(Buffer::length).sum();
    }
}
