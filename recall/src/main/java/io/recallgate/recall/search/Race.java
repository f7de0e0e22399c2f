package io.recallgate.recall.search;

import io.recallgate.caller.Caller;
import io.recallgate.time.Deadline;
import io.recallgate.time.Timers;
import io.vertx.core.AsyncResult;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.function.Supplier;

/**
 * One result for which work, a timer and a cancellation compete: the first to settle wins, the others do nothing. The
 * timer is gone once it is settled. Thread-safe.
 */
final class Race<T> {

    private final Promise<T> promise;
    private final Timers.Timer timer;

    /**
     * Starts the clock.
     *
     * @param late what it fails with when the deadline comes first
     */
    Race(Timers timers, Deadline deadline, Supplier<Throwable> late) {
        // Handlers then run on the caller's context and never concurrently with its other code.
        promise = Caller.promise();
        timer = timers.schedule(deadline.remainingNanos(), () -> promise.tryFail(late.get()));
        promise.future().onComplete(ignored -> timer.cancel());
    }

    Future<T> future() {
        return promise.future();
    }

    boolean isOver() {
        return promise.future().isComplete();
    }

    void fail(Throwable error) {
        promise.tryFail(error);
    }

    void settle(AsyncResult<T> outcome) {
        if (outcome.succeeded()) {
            promise.tryComplete(outcome.result());
        } else {
            promise.tryFail(outcome.cause());
        }
    }
}
