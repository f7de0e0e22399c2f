package io.recallgate.recall.bus;

import io.recallgate.recall.api.DegradeReason;
import io.recallgate.recall.api.MemoryKind;
import io.recallgate.recall.api.RecallMode;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A recall's envelope as the bus carries it.
 *
 * @param recallId identifies the recall in logs
 * @param requested the mode that was asked for
 * @param served the mode that answered
 * @param degraded why the one is less than the other; null when nothing was left out
 * @param vectorCoverage share of memories with a vector of the active model; null when it cannot be told
 * @param hits best first
 * @param totalMillis from the call to the answer, on the answering node
 */
public record RecallAnswer(
        UUID recallId,
        RecallMode requested,
        RecallMode served,
        @Nullable DegradeReason degraded,
        @Nullable Double vectorCoverage,
        List<Hit> hits,
        double totalMillis) {

    /** Copies the hits. */
    public RecallAnswer {
        hits = List.copyOf(hits);
    }

    /**
     * One recalled memory.
     *
     * @param id of the memory
     * @param content what was remembered
     * @param score comparable within one answer only
     * @param kind what it is
     * @param role of whoever said it
     * @param author who said it
     * @param session the conversation
     * @param occurredAt when it happened
     * @param externalId the writer's own id
     * @param pinned whether it always counts
     * @param supersededBy memories that stand in for it; it is a hit only where that was asked for
     * @param metadata anything else
     */
    public record Hit(
            UUID id,
            String content,
            double score,
            MemoryKind kind,
            @Nullable String role,
            @Nullable String author,
            @Nullable String session,
            @Nullable Instant occurredAt,
            @Nullable String externalId,
            boolean pinned,
            List<UUID> supersededBy,
            JsonObject metadata) {

        /** Copies. */
        public Hit {
            supersededBy = List.copyOf(supersededBy);
        }
    }

    /** Reads the envelope of {@code POST /v1/recall}. */
    static RecallAnswer of(JsonObject json) {
        JsonObject mode = json.getJsonObject("mode");
        JsonObject degraded = json.getJsonObject("degraded");
        List<Hit> hits = new ArrayList<>();
        JsonArray array = json.getJsonArray("hits");
        for (int i = 0; i < array.size(); i++) {
            hits.add(hit(array.getJsonObject(i)));
        }
        return new RecallAnswer(
                UUID.fromString(json.getString("recall_id")),
                RecallMode.valueOf(constant(mode.getString("requested"))),
                RecallMode.valueOf(constant(mode.getString("served"))),
                degraded == null ? null : DegradeReason.valueOf(constant(degraded.getString("reason"))),
                json.getDouble("vector_coverage"),
                hits,
                json.getJsonObject("timing_ms").getDouble("total"));
    }

    private static Hit hit(JsonObject json) {
        String occurredAt = json.getString("occurred_at");
        return new Hit(
                UUID.fromString(json.getString("id")),
                json.getString("content"),
                json.getDouble("score"),
                MemoryKind.valueOf(constant(json.getString("kind"))),
                json.getString("role"),
                json.getString("author"),
                json.getString("session"),
                occurredAt == null ? null : Instant.parse(occurredAt),
                json.getString("external_id"),
                json.getBoolean("pinned"),
                json.getJsonArray("superseded_by").stream()
                        .map(id -> UUID.fromString((String) id))
                        .toList(),
                json.getJsonObject("metadata"));
    }

    static String constant(String wireName) {
        return wireName.toUpperCase(Locale.ROOT).replace('-', '_');
    }
}
