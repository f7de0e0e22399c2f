package io.recallgate.embedding;

import io.recallgate.embedding.api.EmbedInput;
import io.recallgate.embedding.api.EmbedRequest;
import io.recallgate.embedding.api.EmbedResult;
import io.recallgate.embedding.api.ModelIdentity;
import io.recallgate.embedding.bus.CancelOutcome;
import io.recallgate.embedding.bus.CancellableEmbedder;
import io.recallgate.embedding.model.ModelProfile;
import io.recallgate.embedding.pool.OperationState;
import io.recallgate.embedding.pool.PoolEvent;
import io.recallgate.embedding.pool.PoolSnapshot;
import io.recallgate.embedding.pool.WaiterOutcome;
import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import io.recallgate.time.CancelCause;
import io.recallgate.time.CancelSignal;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
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
        driver.onPool(() -> submit(number, request, waiter));
        return promise.future();
    }

    private void submit(long number, EmbedRequest request, Waiters.Waiter waiter) {
        Optional<FailureException> refusal = unknownToken(request);
        if (refusal.isPresent()) {
            waiter.answer(new WaiterOutcome.Failure(refusal.get()));
            return;
        }
        driver.waiters().add(number, waiter);
        long remainingNanos = request.deadline().remainingNanos();
        try {
            driver.deliver(new PoolEvent.Submit(
                    number,
                    request.inputs(),
                    request.inputType(),
                    request.priority(),
                    driver.time().clock().nanoTime() + remainingNanos,
                    request.cancel().cause()));
            driver.waiters().listen(number, () -> driver.onPool(() -> leave(number, request.cancel())));
        } catch (RuntimeException e) {
            log.error("the embedding pool could not take request {}", request.id(), e);
            driver.waiters().settle(number, new WaiterOutcome.Failure(FailureException.of(e)));
        }
    }

    private void leave(long number, CancelSignal signal) {
        driver.deliver(
                new PoolEvent.CancelWaiter(number, Objects.requireNonNullElse(signal.cause(), CancelCause.CALLER)));
    }

    /** A token outside the vocabulary is the caller's mistake and known before anything runs. */
    private Optional<FailureException> unknownToken(EmbedRequest request) {
        if (request.inputs().stream().noneMatch(EmbedInput.Tokens.class::isInstance)) {
            return Optional.empty();
        }
        int vocabulary = vocabularySize();
        for (int i = 0; i < request.inputs().size(); i++) {
            if (!(request.inputs().get(i) instanceof EmbedInput.Tokens tokens)) {
                continue;
            }
            for (int id : tokens.ids()) {
                if (id < 0 || id >= vocabulary) {
                    return Optional.of(FailureException.ofField(
                            FailureCode.INVALID_FIELD,
                            "input[" + i + "]",
                            "token id " + id + " is not in the model's vocabulary; ids are 0 to " + (vocabulary - 1)));
                }
            }
        }
        return Optional.empty();
    }

    /** Of the model that serves; before one is loaded its worker has to find out. */
    private int vocabularySize() {
        for (PoolSnapshot.SlotView slot : driver.snapshot().slots()) {
            ModelProfile profile = driver.fleet().profile(slot.slot(), slot.generation());
            if (profile != null) {
                return profile.vocabularySize();
            }
        }
        return Integer.MAX_VALUE;
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
                .orElse(CancelOutcome.SETTLED);
    }

    @Override
    public Future<ModelIdentity> model() {
        return driver.ask(this::currentModel);
    }

    private Future<ModelIdentity> currentModel() {
        ModelIdentity identity = driver.snapshot().identity();
        if (identity != null) {
            return Future.succeededFuture(identity);
        }
        if (driver.ready().failed()) {
            return driver.ready();
        }
        return Future.failedFuture(new FailureException(FailureCode.NOT_READY, "the embedding model is being loaded")
                .retryAfter(Duration.ofSeconds(1)));
    }
}
