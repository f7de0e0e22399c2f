package io.recallgate.gateway.http.transfer;

import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import io.recallgate.time.Deadline;
import io.recallgate.time.Timers;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** Repeats what may work a moment later, within a deadline. On the request's event loop. */
final class Retrying {

    private static final long FIRST_PAUSE_MILLIS = 100;
    private static final long MAX_PAUSE_MILLIS = 2_000;

    /** Trouble that passes. A defect does not, and a stopping gateway stays one. */
    private static final Set<FailureCode> PASSING =
            EnumSet.of(FailureCode.DATABASE_UNAVAILABLE, FailureCode.OVERLOADED, FailureCode.CONFLICT);

    private final Timers timers;

    Retrying(Timers timers) {
        this.timers = timers;
    }

    /**
     * Runs {@code work} until it succeeds, fails for good, or would have to wait past the deadline.
     *
     * @param work may throw; repeated, so it must bear that
     */
    <T> Future<T> within(Deadline deadline, Supplier<Future<T>> work) {
        return attempt(deadline, work, FIRST_PAUSE_MILLIS);
    }

    private <T> Future<T> attempt(Deadline deadline, Supplier<Future<T>> work, long pauseMillis) {
        return run(work).recover(error -> {
            FailureException failure = FailureException.of(error);
            if (!PASSING.contains(failure.code()) || deadline.remainingMillis() <= pauseMillis) {
                return Future.failedFuture(failure);
            }
            Promise<T> later = Promise.promise();
            timers.schedule(TimeUnit.MILLISECONDS.toNanos(pauseMillis), () -> attempt(
                            deadline, work, Math.min(MAX_PAUSE_MILLIS, 2 * pauseMillis))
                    .onComplete(later));
            return later.future();
        });
    }

    private static <T> Future<T> run(Supplier<Future<T>> work) {
        try {
            return work.get();
        } catch (FailureException e) {
            return Future.failedFuture(e);
        }
    }
}
