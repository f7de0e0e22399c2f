package io.recallgate.recall.vector;

import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import io.recallgate.time.Deadline;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.WorkerExecutor;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Threads for reads that compute: the event loop never does their work instead. Bounded; a job whose deadline passed
 * while it waited is not run. May be used on any thread.
 */
public final class ReadWorkers {

    /** A scan takes milliseconds; beyond this the checker logs where it is. */
    private static final long MAX_RUN_MILLIS = 10_000;

    private final WorkerExecutor executor;
    private final int maxJobs;
    private final AtomicInteger jobs = new AtomicInteger();

    /**
     * Starts the threads.
     *
     * @param threads 1 or more
     * @param maxJobs how many may wait or run; the next is refused
     */
    public ReadWorkers(Vertx vertx, int threads, int maxJobs) {
        this.executor =
                vertx.createSharedWorkerExecutor("recallgate-read", threads, MAX_RUN_MILLIS, TimeUnit.MILLISECONDS);
        this.maxJobs = maxJobs;
    }

    /**
     * Runs a job. It looks at the deadline itself from time to time, as nothing interrupts it.
     *
     * @return fails with {@code overloaded} or {@code deadline-exceeded}, or with what the job throws
     */
    public <T> Future<T> run(Deadline deadline, Callable<T> job) {
        if (jobs.incrementAndGet() > maxJobs) {
            jobs.decrementAndGet();
            return Future.failedFuture(new FailureException(FailureCode.OVERLOADED, "the read workers are busy")
                    .retryAfter(Duration.ofSeconds(1)));
        }
        return executor.executeBlocking(
                        () -> {
                            checkDeadline(deadline);
                            return job.call();
                        },
                        false)
                .onComplete(ignored -> jobs.decrementAndGet());
    }

    /**
     * For jobs, between steps.
     *
     * @throws FailureException {@code deadline-exceeded}
     */
    static void checkDeadline(Deadline deadline) {
        if (deadline.isPassed()) {
            throw new FailureException(
                    FailureCode.DEADLINE_EXCEEDED, "the deadline passed before the vectors were read");
        }
    }

    /** Stops the threads when their jobs end. */
    public Future<Void> close() {
        return executor.close();
    }
}
