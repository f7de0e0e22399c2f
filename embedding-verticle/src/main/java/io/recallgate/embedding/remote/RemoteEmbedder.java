package io.recallgate.embedding.remote;

import io.recallgate.caller.Caller;
import io.recallgate.embedding.api.EmbedInput;
import io.recallgate.embedding.api.EmbedRequest;
import io.recallgate.embedding.api.EmbedResult;
import io.recallgate.embedding.api.InputType;
import io.recallgate.embedding.api.ModelIdentity;
import io.recallgate.embedding.api.Priority;
import io.recallgate.embedding.api.WorkerOperations;
import io.recallgate.embedding.bus.CancelOutcome;
import io.recallgate.embedding.bus.CancellableEmbedder;
import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import io.recallgate.time.CancelCause;
import io.recallgate.time.CancelSignal;
import io.recallgate.time.Clock;
import io.recallgate.time.Deadline;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A remote provider as callers and operators see it: any thread in, the caller's context out. */
final class RemoteEmbedder implements CancellableEmbedder, WorkerOperations {

    /** Sent to learn the dimensions, when they are not configured and nobody else has asked yet. */
    static final String FIRST_TEXT = "Is anybody there?";

    /** A start waits for it, and whoever wants to know the model. */
    private static final long FIRST_MILLIS = 5_000;

    private final RemoteDriver driver;
    private final RemoteOptions options;
    private final Vertx vertx;
    /** Where everything of a provider happens; never inside of the call, so that what is being done there is done first. */
    private final Executor place;

    private final Clock clock;

    /** The question for the dimensions under way, or the last one's failure; on the provider's context. */
    private @Nullable Future<ModelIdentity> first;

    private @Nullable Deadline notBefore;
    private int firsts;

    RemoteEmbedder(RemoteDriver driver, RemoteOptions options, Vertx vertx, Executor place, Clock clock) {
        this.driver = driver;
        this.options = options;
        this.vertx = vertx;
        this.place = place;
        this.clock = clock;
    }

    @Override
    public Future<EmbedResult> embed(EmbedRequest request) {
        Promise<EmbedResult> promise = Promise.promise();
        long bytes = request.inputs().stream().mapToLong(EmbedInput::leastBytes).sum();
        Work work = new Work(request, bytes, promise, Caller.of(vertx), clock.nanoTime());
        place.execute(() -> driver.arrive(work));
        return promise.future();
    }

    @Override
    public Future<CancelOutcome> cancel(CancelSignal signal) {
        return asking(() -> {
            Work work = driver.workOf(signal);
            CancelOutcome outcome = work == null
                    ? CancelOutcome.SETTLED
                    : driver.isRunning(work) ? CancelOutcome.RUNNING : CancelOutcome.CANCELLED;
            signal.cancel(CancelCause.CALLER);
            return Future.succeededFuture(outcome);
        });
    }

    /** Sends a text of ours if the dimensions are not known; after a failure not again before a back-off is over. */
    @Override
    public Future<ModelIdentity> model() {
        return asking(() -> {
            ModelIdentity known = driver.identity();
            if (known != null) {
                return Future.succeededFuture(known);
            }
            boolean again = first == null || (first.failed() && notBefore != null && notBefore.isPassed());
            if (again && !driver.isClosed()) {
                first = ask();
            }
            return first == null ? Future.failedFuture(Failures.shuttingDown()) : first;
        });
    }

    private Future<ModelIdentity> ask() {
        notBefore = null;
        return embed(new EmbedRequest(
                        "first-" + ++firsts,
                        List.of(new EmbedInput.Text(FIRST_TEXT)),
                        InputType.DOCUMENT,
                        Priority.DOCUMENT,
                        Deadline.afterMillis(clock, FIRST_MILLIS),
                        new CancelSignal()))
                .map(EmbedResult::model)
                .onFailure(error ->
                        notBefore = Deadline.after(clock, options.breaker().backoff()));
    }

    private <T> Future<T> asking(Supplier<Future<T>> question) {
        return Caller.of(vertx).ask(place, question);
    }

    @Override
    public Future<JsonObject> status() {
        return asking(() -> Future.succeededFuture(driver.latest().toJson(options, clock.nanoTime(), clock.instant())));
    }

    @Override
    public Future<JsonObject> restart(int slot) {
        return Future.failedFuture(new FailureException(
                FailureCode.NOT_FOUND, "there is no slot " + slot + ": the embedding provider is remote"));
    }

    @Override
    public Future<JsonObject> replaceModel(String model) {
        return Future.failedFuture(FailureException.ofField(
                FailureCode.INVALID_FIELD,
                "model",
                "the model of a remote provider is changed in the configuration, with a restart"));
    }
}
