package io.recallgate.recall.api;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The answer to a recall: one envelope for every entry point.
 *
 * @param recallId identifies this recall in logs
 * @param requested the mode that was asked for
 * @param served the mode that answered
 * @param degraded why the served mode is less than the requested one; null when nothing was left out
 * @param vectorCoverage share of the scope's memories that have a vector of the active model, 0 to 1; null when the
 *     vector leg was not asked for or cannot tell
 * @param queryTruncated whether a part of the question was not looked at, because it is too long for a leg
 * @param hits best first; ties by id
 * @param timing where the time went
 */
public record RecallResponse(
        UUID recallId,
        RecallMode requested,
        RecallMode served,
        @Nullable DegradeReason degraded,
        @Nullable Double vectorCoverage,
        boolean queryTruncated,
        List<RecallHit> hits,
        Timing timing) {

    /** Copies the hits. */
    public RecallResponse {
        hits = List.copyOf(hits);
    }

    /** One to a question that was looked at as a whole. */
    public RecallResponse(
            UUID recallId,
            RecallMode requested,
            RecallMode served,
            @Nullable DegradeReason degraded,
            @Nullable Double vectorCoverage,
            List<RecallHit> hits,
            Timing timing) {
        this(recallId, requested, served, degraded, vectorCoverage, false, hits, timing);
    }

    /**
     * Spans in milliseconds; null for a stage that was not part of this recall.
     *
     * @param total from the call to the answer
     * @param embedding waiting for the query's vector
     * @param source where that came from, null if it did not
     * @param lexical the lexical leg
     * @param vector the vector leg
     * @param fusion fusing and loading the hits
     */
    public record Timing(
            double total,
            @Nullable Double embedding,
            @Nullable EmbeddingSource source,
            @Nullable Double lexical,
            @Nullable Double vector,
            @Nullable Double fusion) {

        /** Of a recall whose vector, if it had one, came from the provider. */
        public Timing(
                double total,
                @Nullable Double embedding,
                @Nullable Double lexical,
                @Nullable Double vector,
                @Nullable Double fusion) {
            this(total, embedding, embedding == null ? null : EmbeddingSource.PROVIDER, lexical, vector, fusion);
        }
    }

    /** As {@code POST /v1/recall} answers it. */
    public JsonObject toJson() {
        JsonArray list = new JsonArray();
        hits.forEach(hit -> list.add(hit.toJson()));
        return new JsonObject()
                .put("recall_id", recallId.toString())
                .put(
                        "mode",
                        new JsonObject().put("requested", requested.wireName()).put("served", served.wireName()))
                .put(
                        "degraded",
                        degraded == null
                                ? null
                                : new JsonObject().put("to", served.wireName()).put("reason", degraded.wireName()))
                .put("vector_coverage", vectorCoverage)
                .put("query_truncated", queryTruncated)
                .put("hits", list)
                .put("timing_ms", timingJson());
    }

    private JsonObject timingJson() {
        EmbeddingSource source = timing.source();
        return new JsonObject()
                .put("total", rounded(timing.total()))
                .put("embedding", rounded(timing.embedding()))
                .put("embedding_source", source == null ? null : source.wireName())
                .put("lexical", rounded(timing.lexical()))
                .put("vector", rounded(timing.vector()))
                .put("fusion", rounded(timing.fusion()));
    }

    /** Two decimals: a hundredth of a millisecond is below what the clock means. */
    private static @Nullable Double rounded(@Nullable Double millis) {
        return millis == null ? null : Math.round(millis * 100) / 100.0;
    }
}
