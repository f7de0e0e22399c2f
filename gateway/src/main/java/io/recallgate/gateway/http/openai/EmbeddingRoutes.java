package io.recallgate.gateway.http.openai;

import io.recallgate.embedding.api.EmbedRequest;
import io.recallgate.embedding.api.EmbedResult;
import io.recallgate.embedding.api.Embedder;
import io.recallgate.embedding.api.InputType;
import io.recallgate.embedding.api.ModelIdentity;
import io.recallgate.embedding.api.Priority;
import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import io.recallgate.gateway.config.ApiKeys.Right;
import io.recallgate.gateway.http.failure.Dialect;
import io.recallgate.gateway.http.pipeline.Endpoint;
import io.recallgate.gateway.http.pipeline.Exchange;
import io.recallgate.gateway.http.pipeline.Parameters;
import io.recallgate.gateway.http.pipeline.Reply;
import io.recallgate.gateway.runtime.GatewayRuntime;
import io.vertx.core.Future;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;

/** {@code POST /v1/embeddings} and {@code GET /v1/models}, as OpenAI's clients expect them. */
public final class EmbeddingRoutes {

    private final GatewayRuntime runtime;
    private final String idPrefix = "http-" + UUID.randomUUID() + "-";
    private final AtomicLong ids = new AtomicLong();

    /** @param runtime asked on each request */
    public EmbeddingRoutes(GatewayRuntime runtime) {
        this.runtime = runtime;
    }

    /** The routes. */
    public List<Endpoint> endpoints() {
        return List.of(
                Endpoint.of(HttpMethod.POST, "/v1/embeddings", Right.READ, this::embed)
                        .dialect(Dialect.OPENAI)
                        .json(),
                Endpoint.of(HttpMethod.GET, "/v1/models", Right.READ, this::models)
                        .dialect(Dialect.OPENAI),
                Endpoint.of(HttpMethod.GET, "/v1/models/{model}", Right.READ, this::model)
                        .dialect(Dialect.OPENAI));
    }

    private Future<Reply> embed(Exchange exchange) {
        InputType type = exchange.header("x-recallgate-input-type")
                .map(text -> Parameters.oneOf("x-recallgate-input-type", text, InputType.class))
                .orElse(InputType.DOCUMENT);
        Embedder embedder = runtime.services().embedder();
        return exchange.decode(EmbeddingsCall::of)
                .compose(call -> embedder.model().compose(model -> {
                    check(call, model);
                    EmbedRequest request = new EmbedRequest(
                            idPrefix + ids.incrementAndGet(),
                            call.inputs(),
                            type,
                            type == InputType.QUERY ? Priority.QUERY : Priority.DOCUMENT,
                            exchange.deadline(),
                            exchange.cancel());
                    return embedder.embed(request)
                            .recover(error -> Future.failedFuture(call.asWritten(error)))
                            .map(result -> {
                                // The model may have been replaced while this waited.
                                check(call, result.model());
                                return reply(call, result);
                            });
                }));
    }

    private static void check(EmbeddingsCall call, ModelIdentity model) {
        if (!call.model().equals(model.name())) {
            throw unknownModel(model);
        }
        if (call.dimensions().orElse(1) > model.dimensions()) {
            throw FailureException.ofField(
                    FailureCode.INVALID_FIELD,
                    "dimensions",
                    "dimensions must be at most " + model.dimensions() + ", which is what the model has");
        }
    }

    private static FailureException unknownModel(ModelIdentity model) {
        return FailureException.ofField(
                FailureCode.NOT_FOUND, "model", "the model does not exist here; this gateway serves " + model.name());
    }

    private static Reply reply(EmbeddingsCall call, EmbedResult result) {
        Reply reply = Reply.json(
                200, EmbeddingsAnswer.estimatedBytes(call, result), () -> EmbeddingsAnswer.encode(call, result));
        if (result.truncated().isEmpty()) {
            return reply;
        }
        return reply.header("x-recallgate-truncated", EmbeddingsAnswer.truncated(result.truncated()))
                .header(
                        "x-recallgate-truncated-count",
                        Integer.toString(result.truncated().size()));
    }

    private Future<Reply> models(Exchange exchange) {
        return runtime.services()
                .embedder()
                .model()
                .map(model -> Reply.json(
                        200, new JsonObject().put("object", "list").put("data", new JsonArray().add(json(model)))));
    }

    private Future<Reply> model(Exchange exchange) {
        return runtime.services().embedder().model().map(model -> {
            if (!exchange.path("model").equals(model.name())) {
                throw unknownModel(model);
            }
            return Reply.json(200, json(model));
        });
    }

    private static JsonObject json(ModelIdentity model) {
        // The fourth field of OpenAI's model object is a date; a model's files have none, and the epoch claims none.
        return new JsonObject()
                .put("id", model.name())
                .put("object", "model")
                .put("created", 0)
                .put("owned_by", "recallgate")
                .put("dimensions", model.dimensions())
                .put("max_tokens", model.maxTokens())
                .put("fingerprint", model.fingerprint());
    }
}
