package io.recallgate.gateway.runtime;

import io.micrometer.core.instrument.MeterRegistry;
import io.recallgate.embedding.api.Embedder;
import io.recallgate.embedding.api.WorkerOperations;
import io.recallgate.gateway.config.RecallgateConfig;
import io.recallgate.gateway.config.SettingsHolder;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;

/** Who embeds: the local pool, a remote provider, or nobody. */
interface EmbeddingPart {

    /**
     * Brings it up.
     *
     * @return completes once it can embed; fails with {@code model-unusable} when trying again will not help, which
     *     stops the gateway's start, or with another failure, which only degrades it
     */
    Future<Void> start();

    /** May be called before it is up: requests then wait or fail by their own deadline. */
    Embedder embedder();

    /** May be called before it is up. */
    WorkerOperations workers();

    /** At once: {@code status} is {@code ready}, {@code starting}, {@code degraded} or {@code off}. */
    JsonObject health();

    /** Takes it down. Idempotent; fails if a worker's end could not be confirmed. */
    Future<Void> stop();

    /** The one that is configured; nothing is started yet. */
    static EmbeddingPart of(Vertx vertx, SettingsHolder settings, Recallgate.Time time, MeterRegistry registry) {
        RecallgateConfig config = settings.config();
        return switch (config.embedding().provider()) {
            case LOCAL -> new LocalEmbedding(vertx, config, time, registry);
            case OPENAI ->
                new RemoteEmbedding(
                        vertx,
                        config.embedding().remote().orElseThrow(),
                        () -> settings.config().recall().embeddingTimeoutMillis(),
                        time.clock(),
                        registry);
            case NONE -> new NoEmbedding(vertx, time.clock());
        };
    }
}
