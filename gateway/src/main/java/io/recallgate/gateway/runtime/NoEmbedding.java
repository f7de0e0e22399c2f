package io.recallgate.gateway.runtime;

import io.recallgate.embedding.api.EmbedRequest;
import io.recallgate.embedding.api.EmbedResult;
import io.recallgate.embedding.api.Embedder;
import io.recallgate.embedding.api.ModelIdentity;
import io.recallgate.embedding.api.WorkerOperations;
import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import io.vertx.core.Future;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;

/** Nobody embeds: recall is lexical, labelled {@code no-embedding-provider}, and jobs wait for a provider. */
final class NoEmbedding implements EmbeddingPart, Embedder, WorkerOperations {

    @Override
    public Future<Void> start() {
        return Future.succeededFuture();
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
    public JsonObject health() {
        return new JsonObject().put("status", "off").put("provider", "none");
    }

    @Override
    public Future<Void> stop() {
        return Future.succeededFuture();
    }

    @Override
    public Future<EmbedResult> embed(EmbedRequest request) {
        return Future.failedFuture(none());
    }

    @Override
    public Future<ModelIdentity> model() {
        return Future.failedFuture(none());
    }

    @Override
    public Future<JsonObject> status() {
        return Future.succeededFuture(new JsonObject().put("slots", new JsonArray()));
    }

    @Override
    public Future<JsonObject> restart(int slot) {
        return Future.failedFuture(none());
    }

    private static FailureException none() {
        return new FailureException(
                FailureCode.NO_EMBEDDING_PROVIDER,
                "no embedding provider is configured (RECALLGATE_EMBEDDING_PROVIDER is none)");
    }
}
