package io.recallgate.embedding.bus;

import io.recallgate.caller.Caller;
import io.recallgate.embedding.api.EmbedRequest;
import io.recallgate.embedding.api.EmbedResult;
import io.recallgate.embedding.api.Embedder;
import io.recallgate.embedding.api.ModelIdentity;
import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import io.recallgate.time.CancelCause;
import io.recallgate.time.CancelSignal;
import io.recallgate.trace.CallContext;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.Message;
import io.vertx.core.internal.VertxInternal;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Embeds over the event bus, for verticles of this or another JVM. Ids need to be unique only within one client, which
 * scopes them with an id of its own. Thread-safe.
 *
 * <p>A caller that gives up is answered at once, and the pool is told.
 */
public final class EmbeddingClient implements Embedder {

    private static final Logger log = LoggerFactory.getLogger(EmbeddingClient.class);

    /** The pool answers at the deadline itself; the bus gives up a little later, when no pool is there to answer. */
    private static final long GRACE_MILLIS = 100;

    private static final long STATUS_TIMEOUT_MILLIS = 5_000;

    private final Vertx vertx;
    /** Takes replies for callers whose own context may end before. */
    private final Context loop;

    private final String clientId = UUID.randomUUID().toString();

    /** @param vertx whose event bus is used */
    public EmbeddingClient(Vertx vertx) {
        this.vertx = vertx;
        this.loop = ((VertxInternal) vertx).createEventLoopContext();
    }

    @Override
    public Future<EmbedResult> embed(EmbedRequest request) {
        CancelCause cancelled = request.cancel().cause();
        if (cancelled != null) {
            return Future.failedFuture(gaveUp(cancelled));
        }
        if (request.deadline().isPassed()) {
            return Future.failedFuture(gaveUp(CancelCause.DEADLINE));
        }
        JsonObject body;
        try {
            body = EmbedMessages.encode(request);
        } catch (FailureException e) {
            return Future.failedFuture(e);
        }
        Promise<EmbedResult> promise = Promise.promise();
        Caller caller = Caller.of(vertx);
        Future<EmbedResult> answer = ask(
                EmbedMessages.EMBED, body, request.deadline().remainingMillis() + GRACE_MILLIS, EmbedMessages::result);
        CancelSignal.Registration registration = request.cancel()
                .onCancel(cause -> caller.answer(() -> {
                    if (promise.tryFail(gaveUp(cause))) {
                        tellCancel(request.id());
                    }
                }));
        answer.onComplete(done -> {
            registration.remove();
            if (done.succeeded()) {
                promise.tryComplete(done.result());
            } else if (promise.tryFail(done.cause()) && isDeadline(done.cause())) {
                // Nobody answered in time; if the request is still on its way, it is not wanted any more.
                tellCancel(request.id());
            }
        });
        return promise.future();
    }

    /**
     * Gives a request of this client up.
     *
     * @param id of the request
     * @return what the pool found; fails with {@code embedding-unavailable} if no pool is there
     */
    public Future<CancelOutcome> cancel(String id) {
        return ask(
                EmbedMessages.CANCEL,
                new JsonObject().put("id", id),
                STATUS_TIMEOUT_MILLIS,
                body -> CancelOutcome.ofCode(body.getString("outcome")).orElse(CancelOutcome.UNKNOWN));
    }

    /** The state of the pool's workers, as {@code GET /v1/workers} shows it. */
    public Future<JsonObject> status() {
        return ask(EmbedMessages.STATUS, new JsonObject(), STATUS_TIMEOUT_MILLIS, body -> body);
    }

    /**
     * Sends a message and reads its answer. The bus delivers a reply on the context that asked, and throws at whoever
     * replies when that is a worker's that is gone: so such a caller's reply comes by an event loop. It is read where the
     * caller is, since there may be megabytes of it.
     */
    private <T> Future<T> ask(String address, JsonObject body, long timeoutMillis, Function<JsonObject, T> read) {
        DeliveryOptions options = options(timeoutMillis);
        Supplier<Future<Message<JsonObject>>> question = () -> vertx.eventBus().request(address, body, options);
        Context current = Vertx.currentContext();
        Future<Message<JsonObject>> reply = current == null || current.isEventLoopContext()
                ? question.get()
                : Caller.of(vertx).ask(task -> loop.runOnContext(ignored -> task.run()), question);
        return reply.map(message -> read.apply(message.body()))
                .recover(error -> Future.failedFuture(FailureReply.decode(error, FailureCode.EMBEDDING_UNAVAILABLE)));
    }

    @Override
    public Future<ModelIdentity> model() {
        return status().compose(status -> {
            JsonObject model = status.getJsonObject("model");
            if (model == null) {
                return Future.failedFuture(
                        new FailureException(FailureCode.NOT_READY, "the embedding model is being loaded")
                                .retryAfter(Duration.ofSeconds(1)));
            }
            return Future.succeededFuture(new ModelIdentity(
                    model.getString("name"),
                    model.getString("fingerprint"),
                    model.getInteger("dimensions"),
                    model.getInteger("max_tokens")));
        });
    }

    private void tellCancel(String id) {
        cancel(id).onFailure(error -> log.debug("the cancellation of a request found no pool: {}", error.toString()));
    }

    private DeliveryOptions options(long timeoutMillis) {
        DeliveryOptions options =
                new DeliveryOptions().setSendTimeout(timeoutMillis).addHeader(EmbedMessages.CLIENT, clientId);
        CallContext call = CallContext.current();
        if (call != null) {
            call.tellOurs(options.getHeaders());
        }
        return options;
    }

    private static boolean isDeadline(Throwable error) {
        return error instanceof FailureException failure && failure.code() == FailureCode.DEADLINE_EXCEEDED;
    }

    private static FailureException gaveUp(CancelCause cause) {
        return switch (cause) {
            case DEADLINE ->
                new FailureException(
                        FailureCode.DEADLINE_EXCEEDED, "the deadline passed before the vectors were there");
            case SHUTDOWN -> new FailureException(FailureCode.SHUTTING_DOWN, "the caller is shutting down");
            case CALLER, DISCONNECTED, SUPERSEDED ->
                new FailureException(FailureCode.CANCELLED, "the caller cancelled");
        };
    }
}
