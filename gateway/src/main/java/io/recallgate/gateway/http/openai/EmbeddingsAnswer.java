package io.recallgate.gateway.http.openai;

import io.recallgate.embedding.api.EmbedResult;
import io.recallgate.embedding.api.EmbeddingVector;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.Json;
import io.vertx.core.json.JsonObject;
import java.util.Base64;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The answer of {@code POST /v1/embeddings}. Written straight into a buffer: 2,048 vectors as a tree of boxed doubles
 * would take ten times their size.
 */
final class EmbeddingsAnswer {

    /** Characters of a float in JSON, comma included; an estimate that errs upward. */
    private static final int BYTES_PER_FLOAT = 14;

    /** Header values are bounded by what clients accept (8 KiB in all); more indices are counted, not listed. */
    private static final int MAX_LISTED = 500;

    private EmbeddingsAnswer() {}

    static long estimatedBytes(EmbeddingsCall call, EmbedResult result) {
        long values = (long) result.vectors().size() * dimensions(call, result);
        return call.base64() ? values * 16 / 3 : values * BYTES_PER_FLOAT;
    }

    static int dimensions(EmbeddingsCall call, EmbedResult result) {
        return call.dimensions().orElse(result.model().dimensions());
    }

    static Buffer encode(EmbeddingsCall call, EmbedResult result) {
        Buffer out = Buffer.buffer().appendString("{\"object\":\"list\",\"data\":[");
        for (int i = 0; i < result.vectors().size(); i++) {
            out.appendString(i == 0 ? "" : ",")
                    .appendString("{\"object\":\"embedding\",\"index\":")
                    .appendString(Integer.toString(i))
                    .appendString(",\"embedding\":");
            EmbeddingVector vector = result.vectors().get(i);
            if (call.dimensions().isPresent() && call.dimensions().getAsInt() < vector.dimensions()) {
                vector = vector.truncated(call.dimensions().getAsInt());
            }
            append(out, vector, call.base64());
            out.appendString("}");
        }
        JsonObject usage =
                new JsonObject().put("prompt_tokens", result.totalTokens()).put("total_tokens", result.totalTokens());
        return out.appendString("],\"model\":")
                .appendBuffer(Json.encodeToBuffer(result.model().name()))
                .appendString(",\"usage\":")
                .appendBuffer(usage.toBuffer())
                .appendString("}");
    }

    private static void append(Buffer out, EmbeddingVector vector, boolean base64) {
        if (base64) {
            out.appendString("\"")
                    .appendBytes(Base64.getEncoder().encode(vector.toLittleEndian()))
                    .appendString("\"");
            return;
        }
        StringBuilder values = new StringBuilder(vector.dimensions() * BYTES_PER_FLOAT).append('[');
        for (int i = 0; i < vector.dimensions(); i++) {
            values.append(i == 0 ? "" : ",").append(vector.get(i));
        }
        out.appendString(values.append(']').toString());
    }

    /** The first {@value #MAX_LISTED} indices, separated by commas. */
    static String truncated(List<Integer> indices) {
        return indices.stream().limit(MAX_LISTED).map(String::valueOf).collect(Collectors.joining(","));
    }
}
