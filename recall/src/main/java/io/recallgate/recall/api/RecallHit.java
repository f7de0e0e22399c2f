package io.recallgate.recall.api;

import io.vertx.core.json.JsonObject;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One recalled memory.
 *
 * @param memory the memory
 * @param score of the fused ranking; comparable within one response only
 * @param lexicalRank from 1, null when the lexical leg did not find it
 * @param vectorRank from 1, null when the vector leg did not find it
 * @param signals each signal's contribution to the score; empty unless the request asked to explain
 * @param wordParts where the lexical contribution comes from: {@code text}, {@code neighbours}, {@code author}, {@code
 *     date}; empty unless the request asked to explain
 */
public record RecallHit(
        Memory memory,
        double score,
        @Nullable Integer lexicalRank,
        @Nullable Integer vectorRank,
        Map<String, Double> signals,
        Map<String, Double> wordParts) {

    /** Copies. */
    public RecallHit {
        signals = Map.copyOf(signals);
        wordParts = Map.copyOf(wordParts);
    }

    /** As the envelope of {@code POST /v1/recall} has it. */
    public JsonObject toJson() {
        JsonObject all = memory.toJson();
        JsonObject json = new JsonObject()
                .put("id", all.getValue("id"))
                .put("content", all.getValue("content"))
                .put("score", score)
                .put("ranks", new JsonObject().put("lexical", lexicalRank).put("vector", vectorRank));
        for (String field : FIELDS) {
            json.put(field, all.getValue(field));
        }
        if (!signals.isEmpty()) {
            JsonObject explain = new JsonObject();
            signals.forEach(explain::put);
            if (!wordParts.isEmpty()) {
                JsonObject parts = new JsonObject();
                wordParts.forEach(parts::put);
                explain.put("lexical_parts", parts);
            }
            json.put("explain", explain);
        }
        return json;
    }

    private static final String[] FIELDS = {
        "kind", "role", "author", "session", "occurred_at", "external_id", "pinned", "superseded_by", "metadata"
    };
}
