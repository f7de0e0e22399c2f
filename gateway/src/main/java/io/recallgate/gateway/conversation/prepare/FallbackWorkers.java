package io.recallgate.gateway.conversation.prepare;

import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import io.recallgate.time.CancelSignal;
import io.recallgate.time.Timers;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.WorkerExecutor;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Threads of their own for the last step of turns that had no time: not the read workers, which may be what is in trouble, nor
 * Vert.x's own, which anything may hold. Bounded in threads, in what waits and in time; what has been given up is not begun any
 * more. Thread-safe.
 */
public final class FallbackWorkers {

    /** What one does takes some ten milliseconds of one core. */
    private static final int THREADS = 2;

    /** So many at once would each wait for longer than {@link #MILLIS}. */
    static final int MAX_HELD = 64;

    /** Beyond this a turn is sent as it can be without any counting. A machine that is short of cores takes some of it. */
    static final long MILLIS = 250;

    private final WorkerExecutor threads;
    private final Timers timers;
    private final AtomicInteger held = new AtomicInteger();

    /** Starts no thread yet. */
    public FallbackWorkers(Vertx vertx, Timers timers) {
        this.threads = vertx.createSharedWorkerExecutor("recallgate-fallback", THREADS);
        this.timers = timers;
    }

    /**
     * Runs {@code work}.
     *
     * @param leaves fires when nobody waits for it any more
     * @return fails as the work does, with {@code deadline-exceeded} after {@link #MILLIS}, or at once with {@code overloaded}; on
     *     any thread
     */
    <T> Future<T> run(CancelSignal leaves, Callable<T> work) {
        if (held.incrementAndGet() > MAX_HELD) {
            held.decrementAndGet();
            return Future.failedFuture(new FailureException(FailureCode.OVERLOADED, "too many turns fall back"));
        }
        Promise<T> answer = Promise.promise();
        AtomicBoolean begun = new AtomicBoolean();
        Timers.Timer patience = timers.schedule(TimeUnit.MILLISECONDS.toNanos(MILLIS), () -> {
            begun.set(true);
            answer.tryFail(new FailureException(
                    FailureCode.DEADLINE_EXCEEDED, "the fall-back took longer than " + MILLIS + " ms"));
        });
        CancelSignal.Registration leaving = leaves.onCancel(cause -> {
            begun.set(true);
            answer.tryFail(new FailureException(FailureCode.CANCELLED, "nobody waits for it any more"));
        });
        answer.future().onComplete(answered -> {
            patience.cancel();
            leaving.remove();
        });
        threads.<T>executeBlocking(
                        () -> {
                            if (begun.getAndSet(true)) {
                                throw new FailureException(FailureCode.CANCELLED, "nobody waits for it any more");
                            }
                            return work.call();
                        },
                        false)
                .onComplete(done -> {
                    held.decrementAndGet();
                    if (done.succeeded()) {
                        answer.tryComplete(done.result());
                    } else {
                        answer.tryFail(done.cause());
                    }
                });
        return answer.future();
    }

    /** Lets go of the threads. */
    public Future<Void> close() {
        return threads.close();
    }
}
