package io.recallgate.recall.log;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.recallgate.recall.api.RecallLogPolicy;
import io.recallgate.recall.api.RecallLogPolicy.Questions;
import io.recallgate.recall.api.RecallStatistics;
import io.recallgate.recall.api.RecallStats;
import io.recallgate.recall.api.Scope;
import io.recallgate.recall.database.Database;
import io.recallgate.recall.database.DatabaseTime;
import io.recallgate.recall.database.TroubleLog;
import io.recallgate.recall.log.LogTable.Line;
import io.recallgate.recall.metrics.RecallMetric;
import io.recallgate.time.Clock;
import io.recallgate.time.Deadline;
import io.recallgate.time.Timers;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes recalls down, beside their answers: whoever tells it of one does not wait, and does not hear of its troubles.
 * What the database does not take in time is dropped and counted. Prunes what is old. Thread-safe.
 */
public final class RecallLog implements Consumer<RecallRecord>, RecallStatistics {

    private static final Logger LOG = LoggerFactory.getLogger(RecallLog.class);

    /** How long a recall waits for company. */
    static final long GATHER_MILLIS = BatchWriter.GATHER_MILLIS;

    /** A batch takes milliseconds; beyond this the database is in trouble, and the next batch is to be had. */
    static final long WRITE_MILLIS = 5_000;

    /** Characters of a question that are kept where they are. */
    static final int MAX_TEXT_CHARS = 1_000;

    /** Days are kept to within an hour. */
    static final long PRUNE_MILLIS = 3_600_000;

    /** Between batches while there is more to prune, and before the first, so that a start does not begin with it. */
    static final long PRUNE_MORE_MILLIS = 10_000;

    static final int PRUNE_BATCH = 5_000;

    private final LogTable table;
    private final QuestionHash hash;
    private final Supplier<RecallLogPolicy> policy;
    private final Parts parts;
    private final Counter written;
    private final Counter full;
    private final Counter failed;
    private final TroubleLog troubles;
    private final BatchWriter<Told> writer;

    // All below is guarded by this.

    private Timers.@Nullable Timer pruning;
    private boolean closed;

    /**
     * What it takes from outside.
     *
     * @param clock deadlines are made on
     * @param timers that belong to the clock
     * @param time of statements
     * @param meters counts what is written and dropped
     */
    public record Parts(Clock clock, Timers timers, DatabaseTime time, MeterRegistry meters) {}

    /** A line, and when it was told of. */
    private record Told(Line line, long atNanos) {}

    private RecallLog(LogTable table, QuestionHash hash, Supplier<RecallLogPolicy> policy, Parts parts) {
        this.table = table;
        this.hash = hash;
        this.policy = policy;
        this.parts = parts;
        this.writer = new BatchWriter<>(parts.timers(), this::write);
        this.written = RecallMetric.LOG_WRITTEN.counter(parts.meters());
        this.full = dropped(parts.meters(), "full");
        this.failed = dropped(parts.meters(), "failed");
        this.troubles = new TroubleLog(LOG, parts.clock(), "recalls are logged again");
    }

    private static Counter dropped(MeterRegistry meters, String why) {
        return RecallMetric.LOG_DROPPED.counter(meters, why);
    }

    /**
     * Opens it.
     *
     * @param policy read for each recall and each pruning
     * @return fails with a {@link io.recallgate.failure.FailureException} of the database
     */
    public static Future<RecallLog> open(Database database, Supplier<RecallLogPolicy> policy, Parts parts) {
        LogTable table = new LogTable(database, parts.time());
        return table.key(Deadline.afterMillis(parts.clock(), WRITE_MILLIS)).map(key -> {
            RecallLog log = new RecallLog(table, new QuestionHash(key), policy, parts);
            log.armPruning(PRUNE_MORE_MILLIS);
            return log;
        });
    }

    /** A recall is over. Returns at once and throws nothing; called on event loops. */
    @Override
    public void accept(RecallRecord recall) {
        Questions questions = policy.get().questions();
        if (questions == Questions.NONE) {
            return;
        }
        String text = recall.question().text();
        // The queue holds no long questions: they are hashed here, and of their text at most the beginning is kept.
        Line line = new Line(
                recall.withText(questions == Questions.TEXT ? beginning(text) : ""),
                hash.of(recall.scope(), text),
                text.length(),
                questions == Questions.TEXT,
                0);
        Told told = new Told(line, parts.clock().nanoTime());
        if (!writer.add(told)) {
            full.increment();
        }
    }

    @Override
    public Future<RecallStats> recent(Scope scope, Duration window, Deadline deadline) {
        return table.read(scope, window, RecallStats.MAX_RECALLS, deadline)
                .map(read -> new RecallStats(
                        window,
                        read.sampled(),
                        read.modes(),
                        new RecallStats.Log(policy.get().questions(), (long) written.count(), (long)
                                (full.count() + failed.count()))));
    }

    /** Writes what it has and takes nothing more; bounded, idempotent, never fails. */
    public Future<Void> close() {
        synchronized (this) {
            closed = true;
            if (pruning != null) {
                pruning.cancel();
                pruning = null;
            }
        }
        return writer.close();
    }

    private Future<Void> write(List<Told> batch) {
        long now = parts.clock().nanoTime();
        List<Line> lines = new ArrayList<>();
        for (Told told : batch) {
            lines.add(told.line.aged((now - told.atNanos) / 1e9));
        }
        return table.insert(lines, deadline()).onComplete(done -> {
            if (done.succeeded()) {
                written.increment(batch.size());
                troubles.over();
            } else {
                failed.increment(batch.size());
                troubles.trouble("recalls are missing in the log", done.cause());
            }
        });
    }

    private synchronized void armPruning(long millis) {
        if (!closed) {
            pruning = parts.timers().schedule(TimeUnit.MILLISECONDS.toNanos(millis), this::prune);
        }
    }

    private void prune() {
        table.prune(policy.get().days(), PRUNE_BATCH, deadline()).onComplete(done -> {
            if (done.failed()) {
                troubles.trouble("old recalls cannot be removed from the log", done.cause());
            } else if (done.result() > 0) {
                LOG.debug("{} old recalls removed from the log", done.result());
            }
            armPruning(done.succeeded() && done.result() == PRUNE_BATCH ? PRUNE_MORE_MILLIS : PRUNE_MILLIS);
        });
    }

    private Deadline deadline() {
        return Deadline.afterMillis(parts.clock(), WRITE_MILLIS);
    }

    private static String beginning(String text) {
        int end = Math.min(MAX_TEXT_CHARS, text.length());
        // No half of a pair, which PostgreSQL would store as a question mark.
        boolean half = end < text.length() && Character.isHighSurrogate(text.charAt(end - 1));
        return text.substring(0, half ? end - 1 : end);
    }
}
