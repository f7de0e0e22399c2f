package io.recallgate.recall.retention;

import io.micrometer.core.instrument.MeterRegistry;
import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import io.recallgate.recall.api.RetentionPolicy;
import io.recallgate.recall.api.Scope;
import io.recallgate.recall.database.Database;
import io.recallgate.recall.database.DatabaseTime;
import io.recallgate.recall.database.TroubleLog;
import io.recallgate.recall.metrics.RecallMetric;
import io.recallgate.recall.vector.VectorIndex;
import io.recallgate.time.Clock;
import io.recallgate.time.Rounds;
import io.recallgate.time.Timers;
import io.vertx.core.AsyncResult;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.HashSet;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Walks the scopes in rounds and removes what is older than each keeps. A round is a bounded number of steps, a step one
 * transaction of at most {@value #BATCH} memories; the next round goes on where it ended. The policy is read at each
 * step, so that a change counts at once. All state lives on one context; methods may be called on any thread.
 */
public final class Retention {

    private static final Logger LOG = LoggerFactory.getLogger(Retention.class);

    /** As large as a step of a session's deletion: some hundred milliseconds of row locks. */
    static final int BATCH = 2_000;

    /** Halving stops here: a server that cannot remove so few in time has other trouble. */
    private static final int MIN_BATCH = 50;

    /** Steps of a round, so that no round keeps a connection busy for minutes. */
    static final int STEPS = 100;

    /** Not while a start warms up. */
    static final long FIRST_MILLIS = 60_000;

    /** Between rounds that found everything in order: days are kept to within minutes. */
    static final long ROUND_MILLIS = 600_000;

    /** Between rounds while there is more to remove. */
    static final long MORE_MILLIS = 1_000;

    private final Rounds<Outcome> rounds;
    private final RetentionTable table;
    private final Supplier<RetentionPolicy> policy;
    private final Parts parts;
    private final TroubleLog troubles;

    private Round round = new Round();
    private int batch = BATCH;
    private Optional<Scope> last = Optional.empty();

    /**
     * What it takes from outside.
     *
     * @param clock deadlines are made on
     * @param timers that belong to the clock
     * @param time of statements
     * @param meters counts what is removed, and rounds by outcome
     */
    public record Parts(Clock clock, Timers timers, DatabaseTime time, MeterRegistry meters) {}

    /** How a round ended: nothing is to be removed, all in order, not done yet, another node at it, or trouble. */
    private enum Outcome {
        NOTHING,
        DONE,
        MORE,
        ELSEWHERE,
        FAILED
    }

    /** What a round has done so far. */
    private static final class Round {
        private int steps;
        private long memories;
        private final Set<Scope> scopes = new HashSet<>();
    }

    private Retention(Context context, RetentionTable table, Supplier<RetentionPolicy> policy, Parts parts) {
        this.rounds = new Rounds<>(context, parts.timers(), this::begin, this::ended);
        this.table = table;
        this.policy = policy;
        this.parts = parts;
        this.troubles = new TroubleLog(LOG, parts.clock(), "retention goes on");
    }

    /**
     * One that does nothing before {@link #start()}.
     *
     * @param vertx whose context it gets
     * @param vectors is told what is removed
     * @param policy read at each step
     */
    public static Retention create(
            Vertx vertx, Database database, VectorIndex vectors, Supplier<RetentionPolicy> policy, Parts parts) {
        return new Retention(
                vertx.getOrCreateContext(),
                new RetentionTable(database, vectors, parts.clock(), parts.time()),
                policy,
                parts);
    }

    /** Begins, a while later. */
    public void start() {
        rounds.start(FIRST_MILLIS);
    }

    /** Begins no further step; completes when the one that runs has ended. Idempotent; never fails. */
    public Future<Void> stop() {
        return rounds.stop();
    }

    private Future<Outcome> begin() {
        round = new Round();
        return policy.get().keepsAll() ? Future.succeededFuture(Outcome.NOTHING) : walk(round);
    }

    /** To the next scope, and through it; from the first again once all were seen. */
    private Future<Outcome> walk(Round round) {
        if (rounds.isStopped() || round.steps >= STEPS) {
            return Future.succeededFuture(Outcome.MORE);
        }
        return table.next(last).compose(next -> {
            if (next.isEmpty()) {
                last = Optional.empty();
                return Future.succeededFuture(Outcome.DONE);
            }
            return remove(round, next.get());
        });
    }

    private Future<Outcome> remove(Round round, Scope scope) {
        int days = policy.get().days(scope);
        round.steps++;
        if (days == 0) {
            last = Optional.of(scope);
            return walk(round);
        }
        int limit = batch;
        return table.remove(scope, days, limit)
                .compose(removed -> {
                    if (removed.isEmpty()) {
                        return Future.succeededFuture(Outcome.ELSEWHERE);
                    }
                    batch = Math.min(BATCH, limit * 2);
                    count(round, scope, removed.get());
                    if (removed.get() < limit) {
                        last = Optional.of(scope);
                    }
                    return walk(round);
                })
                .onFailure(
                        error -> last = Optional.of(scope)); // One scope in trouble does not keep the others waiting.
    }

    private void count(Round round, Scope scope, int removed) {
        if (removed > 0) {
            round.memories += removed;
            round.scopes.add(scope);
            RecallMetric.RETENTION_MEMORIES.counter(parts.meters()).increment(removed);
        }
    }

    private Outcome failed(Throwable error) {
        if (FailureException.of(error).code() == FailureCode.DEADLINE_EXCEEDED) {
            batch = Math.max(MIN_BATCH, batch / 2);
        }
        troubles.trouble("memories past their retention cannot be removed", error);
        return Outcome.FAILED;
    }

    private long ended(AsyncResult<Outcome> walked) {
        if (walked.succeeded() && walked.result() == Outcome.NOTHING) {
            return ROUND_MILLIS;
        }
        Outcome outcome = walked.succeeded() ? walked.result() : failed(walked.cause());
        RecallMetric.RETENTION_ROUNDS
                .counter(parts.meters(), outcome.name().toLowerCase(Locale.ROOT))
                .increment();
        if (outcome != Outcome.FAILED) {
            troubles.over();
        }
        if (round.memories > 0) {
            LOG.info(
                    "retention removed {} memories of {} projects{}",
                    round.memories,
                    round.scopes.size(),
                    outcome == Outcome.MORE ? "; there is more" : "");
        }
        return outcome == Outcome.MORE ? MORE_MILLIS : ROUND_MILLIS;
    }
}
