package io.recallgate.embedding.remote;

import io.recallgate.embedding.api.ModelIdentity;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Instant;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A remote provider as its last event left it. Immutable.
 *
 * @param takenNanos on the provider's clock
 * @param model null until the first answer told its dimensions
 * @param breaker whether queries reach the provider
 * @param breakerSinceNanos when it took that state
 * @param expiries queries in a row that waited in vain
 * @param retryNanos until a query may try again; zero unless the breaker is open
 * @param queries that wait and run
 * @param documents that wait and run
 * @param abandoned connections of them that are taken by requests nobody waits for any more
 * @param operations waiting and running requests of callers
 * @param bytes of their inputs
 * @param attempts requests to the provider so far, by how they ended
 * @param lastTrouble code of the last attempt's failure, null if it succeeded
 */
public record RemoteSnapshot(
        long takenNanos,
        @Nullable ModelIdentity model,
        BreakerState breaker,
        long breakerSinceNanos,
        int expiries,
        long retryNanos,
        Line queries,
        Line documents,
        int abandoned,
        int operations,
        long bytes,
        Map<String, Long> attempts,
        @Nullable String lastTrouble) {

    /** Copies the counts. */
    public RemoteSnapshot {
        attempts = Map.copyOf(attempts);
    }

    /**
     * One kind of work.
     *
     * @param waiting for a connection
     * @param running on one
     * @param oldestNanos how long the oldest waits; zero if none does
     */
    public record Line(int waiting, int running, long oldestNanos) {}

    /** How long the breaker has been in its state. */
    public long breakerAgeMillis(long nowNanos) {
        return TimeUnit.NANOSECONDS.toMillis(nowNanos - breakerSinceNanos);
    }

    /** As {@code GET /v1/workers} shows it. */
    JsonObject toJson(RemoteOptions options, long nowNanos, Instant now) {
        long ageMillis = breakerAgeMillis(nowNanos);
        return new JsonObject()
                .put("provider", "openai")
                .put("slots", new JsonArray())
                .put("model", modelJson())
                .put("configured_model", options.model().name())
                .put("url", options.server().endpoint().toString())
                .put("cancels_on_disconnect", options.server().cancelsOnDisconnect())
                .put(
                        "breaker",
                        new JsonObject()
                                .put("state", breaker.wireName())
                                .put("since", now.minusMillis(ageMillis).toString())
                                .put("state_age_ms", ageMillis)
                                .put("expiries", expiries)
                                .put(
                                        "retry_in_ms",
                                        Math.max(
                                                0,
                                                TimeUnit.NANOSECONDS.toMillis(retryNanos - (nowNanos - takenNanos)))))
                .put(
                        "queue",
                        new JsonObject()
                                .put("queries", waiting(queries))
                                .put("documents", waiting(documents))
                                .put("operations", operations)
                                .put("bytes", bytes))
                .put(
                        "connections",
                        new JsonObject()
                                .put("most", options.bounds().connections())
                                .put("queries", queries.running())
                                .put("documents", documents.running())
                                .put("abandoned", abandoned))
                .put("attempts", new JsonObject(new TreeMap<>(attempts)))
                .put("last_trouble", lastTrouble);
    }

    private static JsonObject waiting(Line line) {
        return new JsonObject()
                .put("depth", line.waiting())
                .put("oldest_age_ms", TimeUnit.NANOSECONDS.toMillis(line.oldestNanos()));
    }

    private @Nullable JsonObject modelJson() {
        return model == null
                ? null
                : new JsonObject()
                        .put("name", model.name())
                        .put("fingerprint", model.fingerprint())
                        .put("dimensions", model.dimensions())
                        .put("max_tokens", model.maxTokens());
    }
}
