package io.recallgate.gateway.http.pipeline;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;

/**
 * A route's answer.
 *
 * @param status HTTP status
 * @param contentType of the body; empty for no body
 * @param headers besides those that every answer carries
 * @param estimatedBytes of the body; above the JSON limit it is encoded on a worker
 * @param body encodes the body
 */
public record Reply(
        int status, String contentType, Map<String, String> headers, long estimatedBytes, Callable<Buffer> body) {

    /** Copies the headers. */
    public Reply {
        headers = Map.copyOf(headers);
    }

    /** A small JSON answer. */
    public static Reply json(int status, JsonObject json) {
        return json(status, 0, json::toBuffer);
    }

    /** A JSON answer of about {@code estimatedBytes}, encoded when it is known where. */
    public static Reply json(int status, long estimatedBytes, Callable<Buffer> body) {
        return new Reply(status, "application/json", Map.of(), estimatedBytes, body);
    }

    /** An answer of another media type. */
    public static Reply of(int status, String contentType, Buffer body) {
        return new Reply(status, contentType, Map.of(), 0, () -> body);
    }

    /**
     * What a route completes with that has written its answer through {@link Exchange#stream}, or that has nobody left to
     * answer; itself never sent.
     */
    public static Reply streamed() {
        return noContent();
    }

    /** 204. */
    public static Reply noContent() {
        return new Reply(204, "", Map.of(), 0, Buffer::buffer);
    }

    /** The same with one more header. */
    public Reply header(String name, String value) {
        Map<String, String> more = new LinkedHashMap<>(headers);
        more.put(name, value);
        return new Reply(status, contentType, more, estimatedBytes, body);
    }
}
