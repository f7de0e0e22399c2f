package io.recallgate.gateway.runtime;

import io.micrometer.core.instrument.MeterRegistry;
import io.recallgate.embedding.api.EmbedRequest;
import io.recallgate.embedding.api.EmbedResult;
import io.recallgate.embedding.api.Embedder;
import io.recallgate.embedding.api.ModelIdentity;
import io.recallgate.embedding.api.WorkerOperations;
import io.recallgate.embedding.remote.BreakerState;
import io.recallgate.embedding.remote.RemoteOptions;
import io.recallgate.embedding.remote.RemoteSnapshot;
import io.recallgate.embedding.remote.RemoteVerticle;
import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import io.recallgate.time.Clock;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** A server that speaks OpenAI's embeddings. */
final class RemoteEmbedding implements EmbeddingPart, Embedder, WorkerOperations {

    private final Vertx vertx;
    private final RemoteOptions options;
    private final LongSupplier queryLimitMillis;
    private final Clock clock;
    private final MeterRegistry registry;
    private final AtomicReference<@Nullable Remote> remote = new AtomicReference<>();

    private record Remote(RemoteVerticle verticle, Future<String> deployment) {}

    /** @param queryLimitMillis the bound on a query's embedding that is in force, read on each use */
    RemoteEmbedding(
            Vertx vertx, RemoteOptions options, LongSupplier queryLimitMillis, Clock clock, MeterRegistry registry) {
        this.vertx = vertx;
        this.options = options;
        this.queryLimitMillis = queryLimitMillis;
        this.clock = clock;
        this.registry = registry;
    }

    /** Known dimensions need no server, which may then come up later; otherwise it is asked for them, within seconds. */
    @Override
    public Future<Void> start() {
        RemoteVerticle verticle = new RemoteVerticle(options, registry, queryLimitMillis);
        Future<String> deployment = vertx.deployVerticle(verticle);
        remote.set(new Remote(verticle, deployment));
        return deployment.compose(id -> verticle.embedder().model()).mapEmpty();
    }

    private @Nullable RemoteVerticle deployed() {
        Remote current = remote.get();
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
        RemoteVerticle verticle = deployed();
        return verticle == null
                ? Future.succeededFuture(
                        new JsonObject().put("provider", "openai").put("slots", new JsonArray()))
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

    private <T> Future<T> ask(Function<RemoteVerticle, Future<T>> question) {
        RemoteVerticle verticle = deployed();
        return verticle == null
                ? Future.failedFuture(new FailureException(FailureCode.NOT_READY, "the embedding provider is starting")
                        .retryAfter(Duration.ofSeconds(1)))
                : question.apply(verticle);
    }

    @Override
    public JsonObject health() {
        RemoteVerticle verticle = deployed();
        JsonObject health = new JsonObject()
                .put("provider", "openai")
                .put("model", options.model().name());
        if (verticle == null) {
            return health.put("status", "starting");
        }
        RemoteSnapshot now = verticle.latest();
        health.put("breaker", now.breaker().wireName()).put("breaker_age_ms", now.breakerAgeMillis(clock.nanoTime()));
        ModelIdentity serves = now.model();
        if (serves != null) {
            health.put("fingerprint", serves.fingerprint()).put("dimensions", serves.dimensions());
        }
        String reason =
                now.breaker() == BreakerState.CLOSED ? now.lastTrouble() : FailureCode.EMBEDDING_CIRCUIT_OPEN.code();
        if (reason != null) {
            return health.put("status", "degraded").put("reason", reason);
        }
        return health.put("status", serves == null ? "starting" : "ready");
    }

    @Override
    public Future<Void> stop() {
        Remote current = remote.getAndSet(null);
        if (current == null) {
            return Future.succeededFuture();
        }
        // Closing the Vert.x, as an application that embeds us does, may have undeployed it in the meantime.
        return current.deployment()
                .transform(deployed ->
                        deployed.succeeded() && vertx.deploymentIDs().contains(deployed.result())
                                ? vertx.undeploy(deployed.result())
                                : Future.succeededFuture());
    }
}
