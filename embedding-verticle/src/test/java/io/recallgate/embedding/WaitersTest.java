package io.recallgate.embedding;

import static org.assertj.core.api.Assertions.assertThat;

import io.recallgate.caller.Caller;
import io.recallgate.embedding.api.EmbedResult;
import io.recallgate.embedding.pool.WaiterOutcome;
import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import io.recallgate.time.CancelCause;
import io.recallgate.time.CancelSignal;
import io.vertx.core.Context;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Who answers a caller that gives up; the pool's own side is in its tests. */
class WaitersTest {

    private final Vertx vertx = Vertx.vertx();
    private final Waiters waiters = new Waiters();
    private final CancelSignal signal = new CancelSignal();
    private final Promise<EmbedResult> promise = Promise.promise();
    private final AtomicInteger told = new AtomicInteger();

    @AfterEach
    void close() throws Exception {
        vertx.close().toCompletionStage().toCompletableFuture().get(1, TimeUnit.MINUTES);
    }

    @Test
    void aCallerThatGivesUpIsAnsweredOnItsContextBeforeThePoolHasTurnedToIt() throws Exception {
        Context caller = vertx.getOrCreateContext();
        CompletableFuture<Object> answered = new CompletableFuture<>();
        promise.future()
                .onFailure(why -> answered.complete(Vertx.currentContext() == caller ? why : "another context"));
        CompletableFuture<Caller> asking = new CompletableFuture<>();
        caller.runOnContext(ignored -> asking.complete(Caller.of(vertx)));
        listen(asking.get(1, TimeUnit.MINUTES));

        signal.cancel(CancelCause.DISCONNECTED);

        assertThat(answered.get(1, TimeUnit.MINUTES))
                .isInstanceOfSatisfying(
                        FailureException.class, why -> assertThat(why.code()).isEqualTo(FailureCode.CANCELLED));
        assertThat(told).hasValue(1);
        // The pool has not heard of it yet, and says something else.
        waiters.settle(7, new WaiterOutcome.Failure(new FailureException(FailureCode.INTERNAL, "too late")));
        CompletableFuture<Void> turned = new CompletableFuture<>();
        caller.runOnContext(ignored -> turned.complete(null));
        turned.get(1, TimeUnit.MINUTES);
        assertThat(promise.future().cause()).hasMessage("the caller cancelled");
    }

    @Test
    void aSignalThatFiresAfterTheAnswerTellsNobody() {
        listen(Caller.of(vertx));
        waiters.settle(7, WaiterOutcome.Failure.gaveUp(CancelCause.DEADLINE));

        signal.cancel(CancelCause.CALLER);

        assertThat(told).hasValue(0);
    }

    private void listen(Caller caller) {
        Waiters.Waiter waiter = new Waiters.Waiter(signal, promise, caller);
        waiter.listen(told::incrementAndGet);
        waiters.add(7, waiter);
    }
}
