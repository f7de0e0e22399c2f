package io.recallgate.recall.read;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.recallgate.caller.Caller;
import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import io.recallgate.recall.metrics.RecallMetric;
import io.recallgate.recall.read.ReadScheduler.Effect;
import io.recallgate.recall.read.ReadScheduler.Ending;
import io.recallgate.time.Alarm;
import io.recallgate.time.CancelSignal;
import io.recallgate.time.Clock;
import io.recallgate.time.Deadline;
import io.recallgate.time.SystemClock;
import io.recallgate.time.Timers;
import io.recallgate.time.VertxTimers;
import io.recallgate.trace.CallContext;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Threads for reads that compute: the event loop never does their work instead. What runs when is {@link ReadScheduler}'s
 * to say. May be used on any thread; results arrive on the caller's Vert.x context when it has one.
 */
public final class ReadWorkers {

    private static final Logger LOG = LoggerFactory.getLogger(ReadWorkers.class);

    /** A thread without work goes after this, and comes back with the next job. */
    private static final long IDLE_SECONDS = 60;

    private final Clock clock;
    private final Timers timers;
    private final ReadLimits limits;
    private final MeterRegistry meters;

    // All below is guarded by this.

    private final ReadScheduler scheduler;
    private final Alarm alarm;
    private final Map<Long, Job<?>> jobs = new HashMap<>();
    private final Map<Long, ThreadPoolExecutor> threads = new HashMap<>();
    /** What each worker's thread is at, also when its caller has left. */
    private final Map<Long, Job<?>> atWork = new HashMap<>();

    private long jobsMade;
    private @Nullable Promise<Void> quiet;

    /**
     * How a job is to be run.
     *
     * @param lane who waits for it
     * @param bytes what it is charged with while it waits
     * @param deadline when its caller is answered at the latest, counted from now
     * @param cancels any of these ends it at once: its caller, or the owner of what it reads
     */
    public record Ask(Lane lane, long bytes, Deadline deadline, List<CancelSignal> cancels) {

        /** Copies the signals. */
        public Ask {
            cancels = List.copyOf(cancels);
        }

        /** Foreground, of no weight, and cancelled by nobody. */
        public static Ask until(Deadline deadline) {
            return new Ask(Lane.FOREGROUND, 0, deadline, List.of());
        }

        /** The same in another lane and with another charge. */
        public Ask in(Lane otherLane, long otherBytes) {
            return new Ask(otherLane, otherBytes, deadline, cancels);
        }

        /** The same, with one more signal that ends it. */
        public Ask cancelledBy(CancelSignal signal) {
            List<CancelSignal> more = new ArrayList<>(cancels);
            more.add(signal);
            return new Ask(lane, bytes, deadline, more);
        }
    }

    /** One job with its caller, by id. */
    private static final class Job<T> {
        private final Ask ask;
        private final Callable<T> work;
        private final Promise<T> promise;
        private final long askedNanos;
        private final @Nullable CallContext call = CallContext.current();
        private @Nullable Future<T> result;
        private volatile @Nullable Thread thread;

        private Job(Ask ask, Callable<T> work, Promise<T> promise, long askedNanos) {
            this.askedNanos = askedNanos;
            this.ask = ask;
            this.work = work;
            this.promise = promise;
        }
    }

    /**
     * Starts no thread yet.
     *
     * @param clock deadlines of jobs are counted on
     * @param timers that belong to it
     * @param meters shows what waits, runs and was retired, and counts how jobs ended
     */
    public ReadWorkers(ReadLimits limits, Clock clock, Timers timers, MeterRegistry meters) {
        this.limits = limits;
        this.clock = clock;
        this.timers = timers;
        this.meters = meters;
        this.scheduler = new ReadScheduler(limits);
        this.alarm = new Alarm(clock, timers);
        for (Lane lane : Lane.values()) {
            gauge(RecallMetric.READ_WAITING, all -> all.waiting(lane), lane.wireName());
            gauge(RecallMetric.READ_WAITING_BYTES, all -> all.waitingBytes(lane), lane.wireName());
        }
        gauge(RecallMetric.READ_RUNNING, ReadScheduler::running);
        gauge(RecallMetric.READ_RETIRED, ReadScheduler::retired);
        RecallMetric.READ_RETIREMENTS.counter(meters);
        RecallMetric.READ_JOBS.all(meters);
        RecallMetric.READ_WAIT_DURATION.all(meters);
        RecallMetric.READ_RUN_DURATION.all(meters);
    }

    /** Some that are seen by nobody, on the system's clock, with {@code workers} threads and a queue of that length. */
    public ReadWorkers(Vertx vertx, int workers, int queueJobs) {
        this(
                ReadLimits.DEFAULTS.with(workers, queueJobs),
                SystemClock.INSTANCE,
                new VertxTimers(vertx),
                new SimpleMeterRegistry());
    }

    private void gauge(RecallMetric metric, ToDoubleFunction<ReadScheduler> value, String... labels) {
        metric.gauge(
                meters,
                this,
                workers -> {
                    synchronized (workers) {
                        return value.applyAsDouble(workers.scheduler);
                    }
                },
                labels);
    }

    /** Runs a job of somebody who waits: {@link #run(Ask, Callable)} with {@link Ask#until}. */
    public <T> Future<T> run(Deadline deadline, Callable<T> job) {
        return run(Ask.until(deadline), job);
    }

    /**
     * Runs a job. It looks at its deadline itself from time to time: its caller is answered by then anyway, but nothing
     * stops a thread, and one that does not return is given up.
     *
     * @return fails with {@code overloaded} with a hint when to come back, {@code deadline-exceeded}, {@code cancelled} or
     *     {@code shutting-down}, or with what the job throws
     */
    public <T> Future<T> run(Ask ask, Callable<T> job) {
        if (ask.cancels().stream().anyMatch(CancelSignal::isCancelled)) {
            // A worker that is free would have begun before the signal was looked at.
            return Future.failedFuture(failure(Ending.CANCELLED));
        }
        Job<T> mine = new Job<>(ask, job, Caller.promise(), clock.nanoTime());
        long id;
        synchronized (this) {
            id = ++jobsMade;
            jobs.put(id, mine);
        }
        List<CancelSignal.Registration> registrations = new ArrayList<>();
        on(now -> scheduler.submit(
                id, ask.lane(), ask.bytes(), now + ask.deadline().remainingNanos(), now));
        // Not before it is submitted: a signal that has fired meanwhile cancels it here and now.
        for (CancelSignal signal : ask.cancels()) {
            registrations.add(signal.onCancel(cause -> on(now -> scheduler.left(id, now))));
        }
        return mine.promise.future().onComplete(ignored -> registrations.forEach(CancelSignal.Registration::remove));
    }

    /**
     * Runs work once on each worker that has nothing else to do. They may be none, and one may be taken before it begins:
     * what is to be done must not depend on it.
     *
     * @return one for each, as {@link #run(Ask, Callable)}
     */
    public <T> List<Future<T>> runOnIdle(Ask ask, Callable<T> work) {
        int idle;
        synchronized (this) {
            idle = scheduler.idle();
        }
        List<Future<T>> runs = new ArrayList<>();
        for (int i = 0; i < idle; i++) {
            runs.add(run(ask, work));
        }
        return runs;
    }

    /**
     * For jobs, between steps.
     *
     * @throws FailureException {@code deadline-exceeded}
     */
    public static void checkDeadline(Deadline deadline) {
        if (deadline.isPassed()) {
            throw late();
        }
    }

    /**
     * Takes no more jobs and settles those there are with {@code shutting-down}. Completes when their threads have
     * returned, or after a while without; idempotent.
     */
    public Future<Void> close() {
        Promise<Void> done;
        synchronized (this) {
            if (quiet != null) {
                return quiet.future();
            }
            done = quiet = Promise.promise();
        }
        Timers.Timer patience = timers.schedule(limits.graceNanos(), () -> {
            if (done.tryComplete()) {
                LOG.warn("read workers are still at work; they are left to end by themselves");
            }
        });
        on(now -> scheduler.close());
        return done.future().onComplete(ignored -> patience.cancel());
    }

    /** Something that happens, at a time. */
    private interface Event {
        List<Effect> at(long nowNanos);
    }

    /** Tells the scheduler, and does what it answers: threads inside the lock, callers outside. */
    private void on(Event event) {
        List<Runnable> answers = new ArrayList<>();
        boolean over;
        synchronized (this) {
            for (Effect effect : event.at(clock.nanoTime())) {
                perform(effect, answers);
            }
            alarm.set(scheduler.wakeAt(), this::timeIsUp);
            over = quiet != null && scheduler.isQuiet();
        }
        answers.forEach(Runnable::run);
        if (over && quiet != null) {
            quiet.tryComplete();
        }
    }

    private void perform(Effect effect, List<Runnable> answers) {
        if (effect instanceof ReadScheduler.Start start) {
            Job<?> job = jobs.get(start.job());
            if (job != null) {
                atWork.put(start.worker(), job);
                threads.computeIfAbsent(start.worker(), ReadWorkers::thread)
                        .execute(() -> work(start.worker(), start.job(), job));
            }
        } else if (effect instanceof ReadScheduler.Deliver deliver) {
            deliver(jobs.remove(deliver.job()), answers);
        } else if (effect instanceof ReadScheduler.Settle settle) {
            Job<?> job = jobs.remove(settle.job());
            if (job != null) {
                count(job, settle.why().name());
                answers.add(() -> job.promise.tryFail(failure(settle.why())));
            }
        } else if (effect instanceof ReadScheduler.Retire retire) {
            retire(retire);
        } else if (effect instanceof ReadScheduler.Release release) {
            ThreadPoolExecutor thread = threads.remove(release.worker());
            if (thread != null) {
                thread.shutdown();
            }
        }
    }

    private <T> void deliver(@Nullable Job<T> job, List<Runnable> answers) {
        Future<T> result = job == null ? null : job.result;
        if (job != null && result != null) {
            count(job, result.succeeded() ? "DONE" : "FAILED");
            answers.add(() -> job.promise.handle(result));
        }
    }

    private void retire(ReadScheduler.Retire retire) {
        ThreadPoolExecutor thread = threads.remove(retire.worker());
        if (thread == null) {
            return;
        }
        RecallMetric.READ_RETIREMENTS.counter(meters).increment();
        LOG.warn(
                "a read does not return; its worker is retired, and {} such threads are out",
                scheduler.retired(),
                whereabouts(atWork.get(retire.worker())));
        thread.shutdownNow();
    }

    private static @Nullable Throwable whereabouts(@Nullable Job<?> job) {
        Thread thread = job == null ? null : job.thread;
        if (thread == null) {
            return null;
        }
        Throwable where = new Throwable("where it is");
        where.setStackTrace(thread.getStackTrace());
        return where;
    }

    private <T> void work(long worker, long id, Job<T> job) {
        job.thread = Thread.currentThread();
        String lane = job.ask.lane().wireName();
        long begunNanos = clock.nanoTime();
        RecallMetric.READ_WAIT_DURATION.timer(meters, lane).record(Duration.ofNanos(begunNanos - job.askedNanos));
        Future<T> result;
        try {
            result = Future.succeededFuture(CallContext.within(job.call, job.work));
        } catch (Throwable e) {
            // Whatever it is, somebody waits for it and the worker goes on.
            result = Future.failedFuture(e);
        }
        job.thread = null;
        job.result = result;
        RecallMetric.READ_RUN_DURATION.timer(meters, lane).record(Duration.ofNanos(clock.nanoTime() - begunNanos));
        on(now -> {
            atWork.remove(worker);
            return scheduler.returned(worker, id, now);
        });
    }

    private static ThreadPoolExecutor thread(long worker) {
        ThreadPoolExecutor thread =
                new ThreadPoolExecutor(1, 1, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), task -> {
                    Thread named = new Thread(task, "recallgate-read-" + worker);
                    named.setDaemon(true);
                    return named;
                });
        thread.allowCoreThreadTimeOut(true);
        return thread;
    }

    private void timeIsUp(long which) {
        on(now -> {
            alarm.rang(which);
            return scheduler.timeIsUp(now);
        });
    }

    private void count(Job<?> job, String outcome) {
        RecallMetric.READ_JOBS
                .counter(meters, job.ask.lane().wireName(), outcome.toLowerCase(Locale.ROOT))
                .increment();
    }

    private static FailureException failure(Ending why) {
        return switch (why) {
            case OVERLOADED ->
                new FailureException(FailureCode.OVERLOADED, "the read workers are busy")
                        .retryAfter(Duration.ofSeconds(1));
            case EXPIRED -> late();
            case CANCELLED -> new FailureException(FailureCode.CANCELLED, "nobody waits for this read any more");
            case CLOSED -> new FailureException(FailureCode.SHUTTING_DOWN, "the read workers have stopped");
        };
    }

    private static FailureException late() {
        return new FailureException(FailureCode.DEADLINE_EXCEEDED, "the deadline passed before the read was done");
    }
}
