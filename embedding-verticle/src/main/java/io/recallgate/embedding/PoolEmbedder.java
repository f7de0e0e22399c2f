package io.recallgate.embedding;

import io.recallgate.caller.Caller;
import io.recallgate.embedding.api.EmbedInput;
import io.recallgate.embedding.api.EmbedRequest;
import io.recallgate.embedding.api.EmbedResult;
import io.recallgate.embedding.api.ModelIdentity;
import io.recallgate.embedding.bus.CancelOutcome;
import io.recallgate.embedding.bus.CancellableEmbedder;
import io.recallgate.embedding.model.ModelProfile;
import io.recallgate.embedding.pool.Effect;
import io.recallgate.embedding.pool.OperationKey;
import io.recallgate.embedding.pool.OperationState;
import io.recallgate.embedding.pool.PoolEvent;
import io.recallgate.embedding.pool.PoolSnapshot;
import io.recallgate.embedding.pool.WaiterOutcome;
import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import io.recallgate.time.CancelCause;
import io.recallgate.time.CancelSignal;
import io.recallgate.time.Timers;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The pool as callers see it: any thread in, the caller's context out. */
final class PoolEmbedder implements CancellableEmbedder {

    private static final Logger log = LoggerFactory.getLogger(PoolEmbedder.class);

    private final PoolDriver driver;

    PoolEmbedder(PoolDriver driver) {
        this.driver = driver;
    }

    @Override
    public Future<EmbedResult> embed(EmbedRequest request) {
        Promise<EmbedResult> promise = Promise.promise();
        Waiters.Waiter waiter = new Waiters.Waiter(request.cancel(), promise, driver.caller());
        long number = driver.nextWaiter();
        waiter.listen(() -> driver.onPool(() -> leave(number, request)));
        driver.onPool(() -> {
            driver.waiters().add(number, waiter);
            try {
                arrived(number, request);
            } catch (RuntimeException | Error e) {
                // Such as after Vert.x has closed, when there is neither a timer nor a thread for a large one.
                Caller.tell("the embedding pool could not take request " + request.id(), e);
                settle(number, FailureException.of(e));
            }
        });
        return hasTokens(request) ? promise.future().recover(error -> explained(error, request)) : promise.future();
    }

    /** Before a model is loaded its worker has to find tokens out that it does not have, and cannot say where they are. */
    private Future<EmbedResult> explained(Throwable error, EmbedRequest request) {
        if (!(error instanceof FailureException failure) || failure.code() != FailureCode.EMBEDDING_FAILED) {
            return Future.failedFuture(error);
        }
        return driver.ask(() -> Future.succeededFuture(vocabularySize(request)))
                .compose(vocabulary ->
                        Future.failedFuture(unknownToken(request, vocabulary).orElse(failure)));
    }

    private void arrived(long number, EmbedRequest request) {
        if (isOver(request) || leastBytes(request) > driver.large().maxBytes()) {
            // Not let in whatever a look at it would show.
            submit(number, request, leastBytes(request), null, request.cancel().cause());
            return;
        }
        long most = bytes(request, EmbedInput::mostBytes);
        if (most > LargeWork.LARGE_BYTES) {
            prepare(number, request, most);
            return;
        }
        Optional<FailureException> refusal = unknownToken(request, vocabularySize(request));
        if (refusal.isPresent()) {
            driver.deliver(new PoolEvent.Refuse(number, refusal.get()));
        } else {
            submit(
                    number,
                    request,
                    chargedBytes(request),
                    null,
                    request.cancel().cause());
        }
    }

    private static long leastBytes(EmbedRequest request) {
        return bytes(request, EmbedInput::leastBytes);
    }

    private static long chargedBytes(EmbedRequest request) {
        return bytes(request, EmbedInput::chargedBytes);
    }

    private static long bytes(EmbedRequest request, ToLongFunction<EmbedInput> of) {
        long sum = 0;
        for (EmbedInput input : request.inputs()) {
            sum += of.applyAsLong(input);
        }
        return sum;
    }

    private static boolean isOver(EmbedRequest request) {
        return request.cancel().isCancelled() || request.deadline().isPassed();
    }

    /** The caller may leave meanwhile, and is answered by its deadline, whenever a thread gets to its inputs. */
    private void prepare(long number, EmbedRequest request, long most) {
        int vocabulary = vocabularySize(request);
        Timers.Timer timer = driver.schedule(
                request.deadline().remainingNanos(),
                () -> submit(number, request, leastBytes(request), null, CancelCause.DEADLINE));
        driver.large()
                .run(most, () -> {
                    Optional<FailureException> refusal = unknownToken(request, vocabulary);
                    if (refusal.isPresent()) {
                        throw refusal.get();
                    }
                    return new Looked(OperationKey.digest(request.inputs()), chargedBytes(request));
                })
                .onComplete(done -> {
                    timer.cancel();
                    if (!driver.waiters().isWaiting(number)) {
                        return;
                    }
                    if (done.failed()) {
                        driver.deliver(new PoolEvent.Refuse(number, FailureException.of(done.cause())));
                    } else {
                        Looked looked = done.result();
                        submit(
                                number,
                                request,
                                looked.bytes(),
                                looked.digest(),
                                request.cancel().cause());
                    }
                });
    }

    /** What a look at large inputs has shown. */
    private record Looked(String digest, long bytes) {}

    private void submit(
            long number, EmbedRequest request, long bytes, @Nullable String digest, @Nullable CancelCause cancelled) {
        try {
            driver.deliver(new PoolEvent.Submit(
                    number,
                    request.inputs(),
                    digest,
                    bytes,
                    request.inputType(),
                    request.priority(),
                    driver.time().clock().nanoTime() + request.deadline().remainingNanos(),
                    cancelled));
        } catch (RuntimeException e) {
            log.error("the embedding pool could not take request {}", request.id(), e);
            settle(number, FailureException.of(e));
        }
    }

    private void settle(long number, FailureException failure) {
        driver.settle(new Effect.Settle(number, new WaiterOutcome.Failure(failure)));
    }

    private void leave(long number, EmbedRequest request) {
        CancelCause cause = Objects.requireNonNullElse(request.cancel().cause(), CancelCause.CALLER);
        if (driver.dispatcher().stateOf(number).isPresent()) {
            driver.deliver(new PoolEvent.CancelWaiter(number, cause));
        } else if (driver.waiters().isWaiting(number)) {
            submit(number, request, leastBytes(request), null, cause);
        }
    }

    /** A token outside the vocabulary is the caller's mistake and known before anything runs. */
    private static Optional<FailureException> unknownToken(EmbedRequest request, int vocabulary) {
        for (int i = 0; i < request.inputs().size(); i++) {
            if (!(request.inputs().get(i) instanceof EmbedInput.Tokens tokens)) {
                continue;
            }
            int[] ids = tokens.ids();
            for (int k = 0; k < ids.length; k++) {
                if (ids[k] < 0 || ids[k] >= vocabulary) {
                    return Optional.of(FailureException.ofField(
                            FailureCode.INVALID_FIELD,
                            "input[" + i + "][" + k + "]",
                            "token id " + ids[k] + " is not in the model's vocabulary; ids are 0 to "
                                    + (vocabulary - 1)));
                }
            }
        }
        return Optional.empty();
    }

    /** Of the model that serves; before one is loaded its worker has to find out. Text is never outside of it. */
    private int vocabularySize(EmbedRequest request) {
        if (!hasTokens(request)) {
            return Integer.MAX_VALUE;
        }
        PoolSnapshot pool = driver.snapshot();
        for (PoolSnapshot.SlotView slot : pool.slots()) {
            ModelProfile profile = driver.fleet().profile(slot.slot(), slot.generation());
            if (profile != null && profile.identity().equals(pool.identity())) {
                return profile.vocabularySize();
            }
        }
        return Integer.MAX_VALUE;
    }

    private static boolean hasTokens(EmbedRequest request) {
        for (EmbedInput input : request.inputs()) {
            if (input instanceof EmbedInput.Tokens) {
                return true;
            }
        }
        return false;
    }

    @Override
    public Future<CancelOutcome> cancel(CancelSignal signal) {
        return driver.ask(() -> {
            CancelOutcome outcome = stateOf(signal);
            signal.cancel(CancelCause.CALLER);
            return Future.succeededFuture(outcome);
        });
    }

    private CancelOutcome stateOf(CancelSignal signal) {
        OptionalLong number = driver.waiters().numberOf(signal);
        if (number.isEmpty()) {
            return CancelOutcome.SETTLED;
        }
        return driver.dispatcher()
                .stateOf(number.getAsLong())
                .map(state -> state == OperationState.RUNNING ? CancelOutcome.RUNNING : CancelOutcome.CANCELLED)
                // Its inputs are still being looked at.
                .orElse(CancelOutcome.CANCELLED);
    }

    @Override
    public Future<ModelIdentity> model() {
        return driver.ask(this::currentModel);
    }

    private Future<ModelIdentity> currentModel() {
        PoolSnapshot pool = driver.snapshot();
        ModelIdentity identity = pool.identity();
        if (identity != null) {
            return Future.succeededFuture(identity);
        }
        return Future.failedFuture(PoolDriver.unusable(pool)
                .orElseGet(() -> new FailureException(FailureCode.NOT_READY, "the embedding model is being loaded")
                        .retryAfter(Duration.ofSeconds(1))));
    }
}
