package io.recallgate.gateway.runtime;

import io.micrometer.core.instrument.MeterRegistry;
import io.recallgate.embedding.EmbeddingOptions;
import io.recallgate.embedding.EmbeddingVerticle;
import io.recallgate.embedding.api.EmbedRequest;
import io.recallgate.embedding.api.EmbedResult;
import io.recallgate.embedding.api.Embedder;
import io.recallgate.embedding.api.ModelIdentity;
import io.recallgate.embedding.api.WorkerOperations;
import io.recallgate.embedding.pool.PoolLimits;
import io.recallgate.embedding.pool.PoolSnapshot;
import io.recallgate.embedding.pool.ShutdownReport;
import io.recallgate.embedding.protocol.StartFailure;
import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import io.recallgate.gateway.config.RecallgateConfig;
import io.recallgate.time.Deadline;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The local pool: native models on worker verticles. */
final class LocalEmbedding implements EmbeddingPart, Embedder, WorkerOperations {

    /** What a stop needs beyond the drain bound for termination and confirmation. */
    private static final long CONFIRM_MILLIS = 2_000;

    private final Vertx vertx;
    private final RecallgateConfig config;
    private final Recallgate.Time time;
    private final MeterRegistry registry;
    private final AtomicReference<@Nullable Pool> pool = new AtomicReference<>();

    private record Pool(EmbeddingVerticle verticle, Future<String> deployment) {}

    LocalEmbedding(Vertx vertx, RecallgateConfig config, Recallgate.Time time, MeterRegistry registry) {
        this.vertx = vertx;
        this.config = config;
        this.time = time;
        this.registry = registry;
    }

    @Override
    public Future<Void> start() {
        // The memory gate reads files of the system.
        return vertx.executeBlocking(this::options).compose(options -> {
            EmbeddingVerticle verticle = new EmbeddingVerticle(options, registry);
            Future<String> deployment = vertx.deployVerticle(verticle);
            pool.set(new Pool(verticle, deployment));
            return deployment.compose(id -> verticle.ready()).mapEmpty();
        });
    }

    private EmbeddingOptions options() {
        int workers = config.embedding().workers().orElseGet(EmbeddingOptions::defaultWorkers);
        return EmbeddingOptions.defaults(config.embedding().model(), config.dataDir(), workers)
                .withLimits(limits(config.embedding().pool(), workers, config.drainMillis()));
    }

    /** The configured bounds; what has no setting keeps the pool's own default. */
    static PoolLimits limits(RecallgateConfig.Pool bounds, int workers, long drainMillis) {
        PoolLimits usual = PoolLimits.defaults(workers);
        List<Duration> waits = new ArrayList<>();
        // Each wait is four times the one before: 2 s and 8 s for three tries.
        for (int i = 1; i < bounds.startTries(); i++) {
            waits.add(Duration.ofMillis(bounds.startBackoffMillis() << (2 * (i - 1))));
        }
        return new PoolLimits(
                workers,
                usual.expectedWorkerBytes(),
                new PoolLimits.Queue(
                        bounds.queueOperations(),
                        bounds.queueBytes(),
                        bounds.queueOperations() - bounds.queueOperations() / 16,
                        bounds.queueBytes() - bounds.queueBytes() / 8,
                        usual.queue().waitersPerOperation(),
                        bounds.documentFairness()),
                new PoolLimits.Slice(
                        bounds.sliceRows(),
                        bounds.sliceTokens(),
                        Math.min(usual.slice().floorTokens(), bounds.sliceTokens())),
                new PoolLimits.Watchdogs(
                        Duration.ofMillis(bounds.initialisationWatchdogMillis()),
                        Duration.ofMillis(bounds.dispatchWatchdogMillis()),
                        Duration.ofMillis(bounds.executionWatchdogMillis()),
                        Duration.ofMillis(bounds.terminationGraceMillis()),
                        usual.watchdogs().exitGrace(),
                        Duration.ofMillis(drainMillis)),
                new PoolLimits.Retry(waits, usual.retry().selfHealing()),
                usual.retention());
    }

    private @Nullable EmbeddingVerticle deployed() {
        Pool current = pool.get();
        return current != null && current.deployment().succeeded() ? current.verticle() : null;
    }

    @Override
    public Embedder embedder() {
        return this;
    }

    @Override
    public WorkerOperations workers() {
        return this;
    }

    @Override
    public Future<EmbedResult> embed(EmbedRequest request) {
        return ask(verticle -> verticle.embedder().embed(request));
    }

    @Override
    public Future<ModelIdentity> model() {
        return ask(verticle -> verticle.embedder().model());
    }

    @Override
    public Future<JsonObject> status() {
        EmbeddingVerticle verticle = deployed();
        return verticle == null
                ? Future.succeededFuture(new JsonObject().put("slots", new JsonArray()))
                : verticle.operations().status();
    }

    @Override
    public Future<JsonObject> restart(int slot) {
        return ask(verticle -> verticle.operations().restart(slot));
    }

    @Override
    public Future<JsonObject> replaceModel(String model) {
        return ask(verticle -> verticle.operations().replaceModel(model));
    }

    private <T> Future<T> ask(Function<EmbeddingVerticle, Future<T>> question) {
        EmbeddingVerticle verticle = deployed();
        return verticle == null
                ? Future.failedFuture(new FailureException(FailureCode.NOT_READY, "the embedding pool is starting")
                        .retryAfter(Duration.ofSeconds(1)))
                : question.apply(verticle);
    }

    @Override
    public JsonObject health() {
        EmbeddingVerticle verticle = deployed();
        JsonObject health = new JsonObject().put("provider", "local");
        if (verticle == null) {
            return health.put("status", "starting")
                    .put("model", config.embedding().model());
        }
        PoolSnapshot now = verticle.latest();
        health.put("model", now.model());
        ModelIdentity serves = now.identity();
        if (serves != null) {
            return health.put("status", "ready")
                    .put("fingerprint", serves.fingerprint())
                    .put("dimensions", serves.dimensions());
        }
        PoolSnapshot.StartTrouble trouble = now.startTrouble();
        return trouble == null
                ? health.put("status", "starting")
                : health.put("status", "degraded")
                        .put(
                                "reason",
                                (trouble.failure() == StartFailure.TERMINAL
                                                ? FailureCode.MODEL_UNUSABLE
                                                : FailureCode.EMBEDDING_UNAVAILABLE)
                                        .code());
    }

    @Override
    public Future<Void> stop() {
        Pool current = pool.getAndSet(null);
        if (current == null) {
            return Future.succeededFuture();
        }
        return current.deployment().transform(deployed -> {
            if (deployed.failed()) {
                return Future.succeededFuture();
            }
            Deadline deadline = Deadline.afterMillis(time.clock(), config.drainMillis() + CONFIRM_MILLIS);
            return current.verticle()
                    .shutdown(deadline)
                    .compose(report -> report.isClean()
                            ? undeployed(deployed.result())
                            : Future.failedFuture(unconfirmed(report)));
        });
    }

    /** Closing the Vert.x, as an application that embeds us does, may have undeployed it in the meantime. */
    private Future<Void> undeployed(String id) {
        return vertx.undeploy(id)
                .recover(error ->
                        vertx.deploymentIDs().contains(id) ? Future.failedFuture(error) : Future.succeededFuture());
    }

    private static FailureException unconfirmed(ShutdownReport report) {
        return new FailureException(
                FailureCode.INTERNAL, "workers did not return from native code: " + report.unconfirmed());
    }
}
