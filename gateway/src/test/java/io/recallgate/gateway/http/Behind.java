package io.recallgate.gateway.http;

import static io.recallgate.gateway.http.Wire.EMBEDDING;
import static io.recallgate.gateway.http.Wire.LIVE;
import static io.recallgate.gateway.http.Wire.QUERY;
import static io.recallgate.gateway.http.Wire.head;
import static io.recallgate.gateway.http.Wire.post;

/** What is sent behind a request that is being answered. */
enum Behind {
    NOTHING,
    A_SMALL_BODY,
    A_LARGE_BODY,
    A_LARGE_BODY_BEHIND_SMALL_ONES,
    TWO_LARGE_BODIES,
    A_LARGE_CHUNKED_BODY,
    A_BODY_IN_TINY_CHUNKS,
    A_LARGE_BODY_THAT_ASKS_AND_DOES_NOT_WAIT,
    AN_IMPORT,
    A_LARGE_BODY_OF_A_ROUTE_WITHOUT_ONE,
    MANY_SMALL_REQUESTS,
    WHAT_IS_NO_HTTP;

    String text(int bytes) {
        String spaces = " ".repeat(bytes);
        String length = "content-length: " + bytes;
        return switch (this) {
            case NOTHING -> "";
            case A_SMALL_BODY -> post("/v1/embeddings", EMBEDDING);
            case A_LARGE_BODY -> post("/v1/embeddings", EMBEDDING + spaces);
            case A_LARGE_BODY_BEHIND_SMALL_ONES ->
                post("/v1/recall", QUERY) + LIVE + post("/v1/embeddings", EMBEDDING + spaces);
            case TWO_LARGE_BODIES -> post("/v1/embeddings", EMBEDDING + spaces) + post("/v1/memories", spaces);
            case A_LARGE_CHUNKED_BODY ->
                head("POST /v1/embeddings", "transfer-encoding: chunked") + Integer.toHexString(bytes) + "\r\n" + spaces
                        + "\r\n0\r\n\r\n";
            case A_BODY_IN_TINY_CHUNKS ->
                head("POST /v1/embeddings", "transfer-encoding: chunked") + "1\r\n \r\n".repeat(bytes / 6)
                        + "0\r\n\r\n";
            case A_LARGE_BODY_THAT_ASKS_AND_DOES_NOT_WAIT ->
                head("POST /v1/embeddings", "expect: 100-continue", length) + spaces;
            case AN_IMPORT -> head("POST /v1/memories/import", length) + spaces;
            case A_LARGE_BODY_OF_A_ROUTE_WITHOUT_ONE -> head("GET /health/live", length) + spaces;
            case MANY_SMALL_REQUESTS -> LIVE.repeat(bytes / LIVE.length());
            case WHAT_IS_NO_HTTP -> spaces;
        };
    }
}
