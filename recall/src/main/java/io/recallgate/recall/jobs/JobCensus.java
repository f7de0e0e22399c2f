package io.recallgate.recall.jobs;

import io.micrometer.core.instrument.MeterRegistry;
import io.recallgate.recall.database.Database;
import io.recallgate.recall.database.DatabaseTime;
import io.recallgate.recall.database.Statements;
import io.recallgate.recall.database.TroubleLog;
import io.recallgate.recall.metrics.RecallMetric;
import io.recallgate.time.Clock;
import io.recallgate.time.Rounds;
import io.recallgate.time.Timers;
import io.vertx.core.AsyncResult;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Counts the jobs of all owners now and then, for metrics: reading metrics asks no database. Counts are as old as the last
 * round; the age of the oldest job goes on growing in between.
 */
public final class JobCensus {

    private static final Logger LOG = LoggerFactory.getLogger(JobCensus.class);

    /** As often as Prometheus looks by default. */
    static final long ROUND_MILLIS = 15_000;

    /** Of a long queue counting takes a while; it rests so many times as long, and so takes a twentieth at most. */
    private static final long REST_TIMES = 20;

    private final Database database;
    private final Clock clock;
    private final DatabaseTime time;
    private final TroubleLog troubles;
    private final Rounds<Counted> rounds;
    private long begunNanos;
    private volatile @Nullable Counted counted;

    /** What was counted. */
    private record Counted(Map<JobState, Long> jobs, double oldestSeconds, long atNanos) {}

    /**
     * One that counts nothing before {@link #start}.
     *
     * @param vertx whose context it gets
     * @param clock that belongs to the timers
     * @param time of statements
     */
    public JobCensus(
            Vertx vertx, Database database, Clock clock, Timers timers, DatabaseTime time, MeterRegistry meters) {
        this.database = database;
        this.clock = clock;
        this.time = time;
        this.troubles = new TroubleLog(LOG, clock, "jobs are counted again");
        this.rounds = new Rounds<>(vertx.getOrCreateContext(), timers, this::count, this::ended);
        for (JobState state : List.of(JobState.AVAILABLE, JobState.RUNNING, JobState.RETRYABLE, JobState.FAILED)) {
            RecallMetric.JOBS_PRESENT.gauge(meters, this, census -> census.jobs(state), state.wireName());
        }
        RecallMetric.JOBS_OLDEST_AGE.gauge(meters, this, JobCensus::oldestSeconds);
    }

    /** Begins at once. */
    public void start() {
        rounds.start(0);
    }

    /** Begins no further count; completes when the one that runs has ended. Idempotent; never fails. */
    public Future<Void> stop() {
        return rounds.stop();
    }

    private Future<Counted> count() {
        begunNanos = clock.nanoTime();
        return database.connection(
                        Statements.inBackground(clock),
                        connection -> connection.preparedQuery(Statement.CENSUS).execute(Tuple.of(time.now())))
                .map(rows -> {
                    Map<JobState, Long> jobs = new EnumMap<>(JobState.class);
                    double oldest = 0;
                    for (Row row : rows) {
                        jobs.put(JobState.of(row.getString("state")), row.getLong("jobs"));
                        oldest = Math.max(oldest, row.getDouble("oldest_seconds"));
                    }
                    return new Counted(jobs, oldest, clock.nanoTime());
                });
    }

    private long ended(AsyncResult<Counted> round) {
        if (round.succeeded()) {
            counted = round.result();
            troubles.over();
        } else {
            troubles.trouble("jobs cannot be counted", round.cause());
        }
        long tookMillis = TimeUnit.NANOSECONDS.toMillis(clock.nanoTime() - begunNanos);
        return Math.max(ROUND_MILLIS, REST_TIMES * tookMillis);
    }

    private double jobs(JobState state) {
        Counted last = counted;
        return last == null ? Double.NaN : last.jobs.getOrDefault(state, 0L);
    }

    private double oldestSeconds() {
        Counted last = counted;
        if (last == null) {
            return Double.NaN;
        }
        double since = (clock.nanoTime() - last.atNanos) / (double) TimeUnit.SECONDS.toNanos(1);
        return last.oldestSeconds == 0 ? 0 : last.oldestSeconds + since;
    }

    /** Read when the first census is made. */
    private static final class Statement {
        private static final String CENSUS = Statements.load("jobs/census");
    }
}
