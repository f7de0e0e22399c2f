package io.recallgate.recall.read;

import io.recallgate.caller.Caller;
import io.recallgate.time.CancelCause;
import io.recallgate.time.CancelSignal;
import io.recallgate.time.Timers;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.concurrent.Callable;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Reads that a request cannot go on without, and for which there is no lesser answer: a read worker does them, and when none has
 * after a while, since all are stuck or behind, a spare thread does as well; the first result counts. Work that still waits for
 * a worker then is taken back, so nothing is done twice but what a worker is at. May be used on any thread; results arrive on
 * the caller's Vert.x context when it has one.
 */
public final class SureReads {

    /** The largest body is read in about a second; nearly all take some ten milliseconds. */
    static final long PATIENCE_MILLIS = 500;

    /** As many as there are read workers: they stand in for them. */
    private static final int SPARE_THREADS = 2;

    /** As many as there may be turns at once. What is more waits for the read workers alone. */
    private static final int MAX_WAITING = 256;

    /** A thread without work goes after this. */
    private static final long IDLE_SECONDS = 60;

    private final ReadWorkers workers;
    private final Timers timers;
    private final ThreadPoolExecutor spare;

    /**
     * Starts no thread yet; those that are idle end by themselves.
     *
     * @param workers do nearly all of it
     */
    public SureReads(ReadWorkers workers, Timers timers) {
        this.workers = workers;
        this.timers = timers;
        spare = new ThreadPoolExecutor(
                SPARE_THREADS,
                SPARE_THREADS,
                IDLE_SECONDS,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(MAX_WAITING),
                task -> {
                    Thread thread = new Thread(task, "recallgate-spare");
                    thread.setDaemon(true);
                    return thread;
                });
        spare.allowCoreThreadTimeOut(true);
    }

    /**
     * Does work.
     *
     * @param work may be done by two threads at once, and must not mind
     * @return fails as {@link ReadWorkers#run(ReadWorkers.Ask, Callable)}
     */
    public <T> Future<T> run(ReadWorkers.Ask ask, Callable<T> work) {
        Sure<T> sure = new Sure<>(work);
        Timers.Timer patience =
                timers.schedule(TimeUnit.MILLISECONDS.toNanos(PATIENCE_MILLIS), () -> standIn(sure::instead));
        workers.run(ask.cancelledBy(sure.superseded), work).onComplete(result -> {
            patience.cancel();
            if (sure.taken.compareAndSet(false, true)) {
                sure.answer.handle(result);
            }
        });
        return sure.answer.future();
    }

    private void standIn(Runnable task) {
        try {
            spare.execute(task);
        } catch (RejectedExecutionException full) {
            // Then only a read worker can.
        }
    }

    /** One piece of work and its one answer. */
    private static final class Sure<T> {
        private final Callable<T> work;
        private final Promise<T> answer = Caller.promise();
        private final AtomicBoolean taken = new AtomicBoolean();
        /** Takes the work away from the read workers. */
        private final CancelSignal superseded = new CancelSignal();

        Sure(Callable<T> work) {
            this.work = work;
        }

        /** On a spare thread. */
        void instead() {
            if (taken.get()) {
                return;
            }
            Future<T> result;
            try {
                result = Future.succeededFuture(work.call());
            } catch (Throwable e) {
                // Whatever it is, somebody waits for it.
                result = Future.failedFuture(e);
            }
            if (taken.compareAndSet(false, true)) {
                // Before anybody hears the answer: what follows from it may free the worker that this waits for.
                superseded.cancel(CancelCause.SUPERSEDED);
                answer.handle(result);
            }
        }
    }
}
