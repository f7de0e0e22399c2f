package io.recallgate.gateway.runtime;

import io.recallgate.embedding.api.EmbedRequest;
import io.recallgate.embedding.api.EmbedResult;
import io.recallgate.embedding.api.Embedder;
import io.recallgate.embedding.api.ModelIdentity;
import io.recallgate.embedding.api.WorkerOperations;
import io.recallgate.embedding.bus.CancelOutcome;
import io.recallgate.embedding.bus.CancellableEmbedder;
import io.recallgate.embedding.bus.EmbedEndpoint;
import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import io.recallgate.time.CancelSignal;
import io.recallgate.time.Clock;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Nobody embeds: recall is lexical, labelled {@code no-embedding-provider}, and jobs wait for a provider. The addresses
 * of the embedding pool are served all the same, so that whoever asks there is told why instead of finding nobody.
 */
final class NoEmbedding implements EmbeddingPart {

    private final Vertx vertx;
    private final Clock clock;
    private final Nobody nobody = new Nobody();
    private final AtomicReference<@Nullable Future<String>> deployment = new AtomicReference<>();

    NoEmbedding(Vertx vertx, Clock clock) {
        this.vertx = vertx;
        this.clock = clock;
    }

    @Override
    public Future<Void> start() {
        Future<String> deployed = vertx.deployVerticle(new Addresses());
        deployment.set(deployed);
        return deployed.mapEmpty();
    }

    @Override
    public Embedder embedder() {
        return nobody;
    }

    @Override
    public WorkerOperations workers() {
        return nobody;
    }

    @Override
    public JsonObject health() {
        return new JsonObject().put("status", "off").put("provider", "none");
    }

    @Override
    public Future<Void> stop() {
        Future<String> deployed = deployment.getAndSet(null);
        if (deployed == null) {
            return Future.succeededFuture();
        }
        // Closing the Vert.x, as an application that embeds us does, may have undeployed it in the meantime.
        return deployed.transform(
                result -> result.succeeded() && vertx.deploymentIDs().contains(result.result())
                        ? vertx.undeploy(result.result())
                        : Future.succeededFuture());
    }

    /** Owns the consumers. */
    private final class Addresses extends VerticleBase {
        @Override
        public Future<?> start() {
            return new EmbedEndpoint(vertx, nobody, nobody, clock).register();
        }
    }

    /** Refuses everything by the name of the reason. Stateless. */
    static final class Nobody implements CancellableEmbedder, WorkerOperations {

        @Override
        public Future<EmbedResult> embed(EmbedRequest request) {
            return Future.failedFuture(none());
        }

        @Override
        public Future<ModelIdentity> model() {
            return Future.failedFuture(none());
        }

        @Override
        public Future<CancelOutcome> cancel(CancelSignal signal) {
            // Every request was refused before its cancellation could come.
            return Future.succeededFuture(CancelOutcome.SETTLED);
        }

        @Override
        public Future<JsonObject> status() {
            return Future.succeededFuture(
                    new JsonObject().put("provider", "none").put("slots", new JsonArray()));
        }

        @Override
        public Future<JsonObject> restart(int slot) {
            return Future.failedFuture(none());
        }

        @Override
        public Future<JsonObject> replaceModel(String model) {
            return Future.failedFuture(none());
        }

        private static FailureException none() {
            return new FailureException(
                    FailureCode.NO_EMBEDDING_PROVIDER,
                    "no embedding provider is configured (RECALLGATE_EMBEDDING_PROVIDER is none)");
        }
    }
}
