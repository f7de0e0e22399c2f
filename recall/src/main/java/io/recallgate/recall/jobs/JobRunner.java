package io.recallgate.recall.jobs;

import io.micrometer.core.instrument.MeterRegistry;
import io.recallgate.embedding.api.Embedder;
import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import io.recallgate.recall.api.RecallSettings;
import io.recallgate.recall.bus.RecallEvents;
import io.recallgate.recall.database.Database;
import io.recallgate.recall.database.DatabaseTime;
import io.recallgate.recall.database.TroubleLog;
import io.recallgate.recall.jobs.Flights.Flight;
import io.recallgate.recall.jobs.JobExecution.Outcome;
import io.recallgate.recall.metrics.RecallMetric;
import io.recallgate.recall.vector.VectorIndex;
import io.recallgate.time.CancelCause;
import io.recallgate.time.Clock;
import io.recallgate.time.Deadline;
import io.recallgate.time.Timers;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Claims jobs and keeps a bounded number of them running. All its state lives on one context; methods may be called on
 * any thread.
 *
 * <p>It claims when woken by a notification, when half of its places are free, and at least every poll interval. While
 * the embedder has no model, or is in trouble, it claims nothing: jobs wait in the table and keep their attempts. A job
 * whose text is quarantined stays ours and asks again later ({@link Flights}).
 */
public final class JobRunner {

    private static final Logger LOG = LoggerFactory.getLogger(JobRunner.class);

    /** After the drain: enough to give leases back, and bounded, since leases also run out by themselves. */
    private static final long RELEASE_MILLIS = 2_000;

    /** The database counts bytes of UTF-8, and {@link Flights} characters. */
    private static final long MAX_BYTES_OF_A_CHAR = 3;

    private final Context context;
    private final JobTable table;
    private final JobExecution execution;
    private final ActiveModel model;
    private final Parts parts;
    private final Fixed fixed;

    private final Flights flights;
    private final ClaimPace pace;
    private Phase phase = Phase.NEW;
    private boolean claiming;
    private boolean wokenMeanwhile;
    /** Whether the last claim may have left others behind; if not, a notification or the poll tells of the next. */
    private boolean more;

    private Timers.@Nullable Timer renewTimer;
    private @Nullable Runnable whenIdle;
    private @Nullable Future<Void> stopped;

    /**
     * What it takes from outside.
     *
     * @param clock deadlines are made on
     * @param timers that belong to the clock
     * @param time of statements
     * @param settings read on each use
     * @param random jitter; thread-safe
     * @param meters counts outcomes
     */
    public record Parts(
            Clock clock,
            Timers timers,
            DatabaseTime time,
            Supplier<RecallSettings> settings,
            RandomGenerator random,
            MeterRegistry meters) {}

    /** The database, and the index that is told what is committed to it. */
    public record Stores(Database database, VectorIndex vectors) {}

    /** What does not change, and where to tell what happens. */
    private record Fixed(JobOptions options, TroubleLog troubles, Upkeep upkeep) {}

    private enum Phase {
        NEW,
        RUNNING,
        DRAINING,
        STOPPED
    }

    private JobRunner(
            Context context, JobTable table, JobExecution execution, ActiveModel model, Parts parts, Fixed fixed) {
        this.context = context;
        this.table = table;
        this.execution = execution;
        this.model = model;
        this.parts = parts;
        this.fixed = fixed;
        this.flights = new Flights(parts.timers(), fixed.options().concurrency());
        this.pace = new ClaimPace(parts.timers(), parts.settings(), parts.random(), this::onContext, this::claim);
        RecallMetric.JOBS.all(parts.meters());
    }

    /**
     * A runner on the context of the calling thread; call {@link #start()}.
     *
     * @param vertx whose context it gets
     * @param stores where jobs and vectors are
     * @param embedder makes the vectors
     * @param model of the embedder
     */
    public static JobRunner create(
            Vertx vertx, Stores stores, Embedder embedder, ActiveModel model, Parts parts, JobOptions options) {
        JobTable table = new JobTable(stores.database(), parts.clock(), parts.time(), options);
        JobCommits commits = new JobCommits(stores.database(), stores.vectors(), parts.clock(), parts.time(), options);
        TroubleLog troubles = new TroubleLog(LOG, parts.clock(), "jobs run again");
        FailedJobs failed = new RecallEvents(vertx)::jobFailed;
        var patience = new OutcomeWriter.Patience(parts.timers(), options.groupMillis(), () -> parts.settings()
                .get()
                .jobLeaseMillis());
        JobExecution execution = new JobExecution(
                new PassageEmbedder(embedder, model, parts.clock(), options),
                new OutcomeWriter(table, commits, model, patience),
                parts.settings(),
                JobExecution.Context.of(parts.random(), troubles, failed, parts.meters()));
        Upkeep upkeep = new Upkeep(table, Reembedding.of(stores, model, parts), parts.settings(), failed);
        return new JobRunner(
                vertx.getOrCreateContext(), table, execution, model, parts, new Fixed(options, troubles, upkeep));
    }

    /** Begins to claim. */
    public void start() {
        onContext(() -> {
            if (phase == Phase.NEW) {
                phase = Phase.RUNNING;
                renew();
                claim();
            }
        });
    }

    /** There may be work. A hint: nothing depends on it. */
    public void wake() {
        onContext(() -> {
            wokenMeanwhile = claiming;
            claim();
        });
    }

    /**
     * Claims nothing more, lets running jobs finish until {@code drain}, then gives them up and their leases back.
     * Idempotent; never fails.
     */
    public Future<Void> stop(Deadline drain) {
        Promise<Void> done = Promise.promise();
        onContext(() -> {
            if (stopped == null) {
                stopped = drain(drain);
            }
            stopped.onComplete(done);
        });
        return done.future();
    }

    private void claim() {
        if (phase != Phase.RUNNING || claiming || pace.isPaused()) {
            return;
        }
        pace.cancel();
        int free = flights.freePlaces();
        long bytes = flights.bytesLeft(fixed.options().contentBytes());
        if (free <= 0 || bytes <= 0) {
            // Texts that were parked may have taken what the last claim left free: it is asked for once they are done.
            more = true;
            return;
        }
        claiming = true;
        wokenMeanwhile = false;
        model.refresh()
                .compose(ignored -> table.claim(free, bytes, settings().jobLeaseMillis(), flights.ids()))
                .onComplete(jobs -> onContext(() -> {
                    claiming = false;
                    if (jobs.failed()) {
                        refused(jobs.cause());
                    } else {
                        fixed.troubles().over();
                        claimed(jobs.result(), free, bytes);
                    }
                }));
    }

    private void claimed(List<ClaimedJob> jobs, int asked, long askedBytes) {
        if (phase != Phase.RUNNING) {
            release(jobs).onComplete(ignored -> onContext(this::checkIdle));
            return;
        }
        jobs.forEach(job -> execute(flights.begin(job)));
        more = jobs.size() == asked || MAX_BYTES_OF_A_CHAR * Flights.bytes(jobs) >= askedBytes;
        if (!more) {
            fixed.upkeep().drained(this::wake);
        }
        if (wokenMeanwhile && jobs.size() < asked) {
            claim();
        } else {
            // A full claim is followed by the next as soon as half of it is embedded; the poll is only the floor.
            pace.poll();
        }
    }

    private void refused(Throwable error) {
        FailureException failure = FailureException.of(error);
        if (failure.code() == FailureCode.NO_EMBEDDING_PROVIDER || failure.code() == FailureCode.NOT_READY) {
            LOG.debug("no jobs are claimed: {}", failure.code().code());
        } else {
            fixed.troubles().trouble("no jobs can be claimed", error);
        }
        trouble();
        checkIdle();
    }

    private void execute(Flight flight) {
        execution
                .run(
                        flight.job(),
                        flight.cancel(),
                        () -> onContext(() -> {
                            flights.embedded(flight);
                            placeFreed();
                        }))
                .onComplete(outcome -> onContext(() -> ended(flight, outcome.result())));
    }

    private void ended(Flight flight, Outcome outcome) {
        RecallMetric.JOBS.counter(parts.meters(), outcome.label()).increment();
        boolean ours = flights.end(flight);
        switch (outcome) {
            case PROVIDER_TROUBLE, UNKNOWN -> trouble();
            case DONE -> pace.fine();
            case QUARANTINED -> {
                if (ours) {
                    park(flight);
                }
            }
            default -> {}
        }
        placeFreed();
        checkIdle();
    }

    private void placeFreed() {
        resumeDue();
        if (more && flights.isHalfFree()) {
            claim();
        }
    }

    private void park(Flight flight) {
        flights.park(
                flight,
                execution.waitMillis(flight.quarantines() + 1),
                () -> onContext(() -> {
                    flights.comeDue(flight.job().id());
                    resumeDue();
                }));
        if (phase != Phase.RUNNING) {
            flights.stopWaiting();
        }
    }

    private void resumeDue() {
        while (phase == Phase.RUNNING && flights.freePlaces() > 0) {
            Flight flight = flights.takeDue();
            if (flight == null) {
                return;
            }
            execute(flight);
        }
    }

    private void trouble() {
        if (phase == Phase.RUNNING) {
            pace.trouble();
        }
    }

    private void armRenewal() {
        long nanos = TimeUnit.MILLISECONDS.toNanos(settings().jobLeaseMillis()) / 3;
        renewTimer = parts.timers().schedule(nanos, () -> onContext(this::renew));
    }

    /** Renews leases while draining too; what is no longer ours is given up. */
    private void renew() {
        renewTimer = null;
        if (phase == Phase.STOPPED) {
            return;
        }
        List<Flight> held = flights.all();
        Future<?> renewed = held.isEmpty()
                ? Future.succeededFuture()
                : table.renew(flights.jobs(), settings().jobLeaseMillis())
                        .onSuccess(ours -> onContext(() -> held.stream()
                                .filter(flight -> !ours.contains(flight.job().id()))
                                .forEach(flights::lose)));
        renewed.transform(ignored -> fixed.upkeep().round())
                .onComplete(outcome -> onContext(() -> {
                    if (outcome.failed()) {
                        fixed.troubles().trouble("jobs cannot be looked after", outcome.cause());
                    } else if (outcome.result()) {
                        wake();
                    }
                    if (phase != Phase.STOPPED) {
                        armRenewal();
                    }
                }));
    }

    private Future<Void> drain(Deadline drain) {
        if (phase == Phase.NEW) {
            phase = Phase.STOPPED;
            return Future.succeededFuture();
        }
        phase = Phase.DRAINING;
        pace.cancel();
        flights.stopWaiting();
        Promise<Void> idle = Promise.promise();
        whenIdle = idle::tryComplete;
        Timers.Timer bound = parts.timers().schedule(drain.remainingNanos(), idle::tryComplete);
        checkIdle();
        Promise<Void> done = Promise.promise();
        idle.future()
                .onComplete(ignored -> onContext(() -> {
                    bound.cancel();
                    giveUp().onComplete(done);
                }));
        return done.future();
    }

    private Future<Void> giveUp() {
        phase = Phase.STOPPED;
        whenIdle = null;
        if (renewTimer != null) {
            renewTimer.cancel();
            renewTimer = null;
        }
        List<Flight> left = flights.all();
        if (left.isEmpty()) {
            return Future.succeededFuture();
        }
        LOG.info("{} jobs did not finish in time, or are quarantined, and are given back", left.size());
        Promise<Void> done = Promise.promise();
        Timers.Timer bound = parts.timers().schedule(TimeUnit.MILLISECONDS.toNanos(RELEASE_MILLIS), done::tryComplete);
        release(flights.jobs()).onComplete(ignored -> {
            bound.cancel();
            done.tryComplete();
        });
        left.forEach(flight -> flight.cancel().cancel(CancelCause.SHUTDOWN));
        return done.future();
    }

    private Future<?> release(List<ClaimedJob> jobs) {
        return jobs.isEmpty()
                ? Future.succeededFuture()
                : table.release(jobs).onFailure(error -> fixed.troubles()
                        .trouble(jobs.size() + " leases were not given back and run out", error));
    }

    private void checkIdle() {
        if (whenIdle != null && flights.isIdle() && !claiming) {
            whenIdle.run();
        }
    }

    private RecallSettings settings() {
        return parts.settings().get();
    }

    private void onContext(Runnable action) {
        context.runOnContext(ignored -> action.run());
    }
}
