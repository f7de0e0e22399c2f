package io.recallgate.recall.log;

import io.micrometer.core.instrument.Counter;
import io.recallgate.recall.database.Database;
import io.recallgate.recall.database.Statements;
import io.recallgate.recall.database.TroubleLog;
import io.recallgate.recall.metrics.RecallMetric;
import io.recallgate.time.Deadline;
import io.vertx.core.Future;
import io.vertx.sqlclient.Tuple;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Counts how often memories are among the hits of recalls, beside the answers: whoever tells it of one does not wait, and
 * does not hear of its troubles. What the database does not take in time is dropped and counted. Thread-safe.
 */
public final class AccessCounts implements Consumer<List<UUID>> {

    private static final Logger LOG = LoggerFactory.getLogger(AccessCounts.class);

    private static final String ACCESSED = Statements.load("search/accessed");

    private final Database database;
    private final RecallLog.Parts parts;
    private final BatchWriter<List<UUID>> writer;
    private final Counter full;
    private final Counter failed;
    private final TroubleLog troubles;

    /** Starts empty. */
    public AccessCounts(Database database, RecallLog.Parts parts) {
        this.database = database;
        this.parts = parts;
        this.writer = new BatchWriter<>(parts.timers(), this::write);
        this.full = dropped(parts, "full");
        this.failed = dropped(parts, "failed");
        this.troubles = new TroubleLog(LOG, parts.clock(), "recalls of memories are counted again");
    }

    private static Counter dropped(RecallLog.Parts parts, String why) {
        return RecallMetric.ACCESSES_DROPPED.counter(parts.meters(), why);
    }

    /** The hits of one answer. Returns at once and throws nothing; called on event loops. */
    @Override
    public void accept(List<UUID> hits) {
        if (!hits.isEmpty() && !writer.add(List.copyOf(hits))) {
            full.increment();
        }
    }

    /** Writes what it has and takes nothing more; bounded, idempotent, never fails. */
    public Future<Void> close() {
        return writer.close();
    }

    private Future<Void> write(List<List<UUID>> batch) {
        Map<UUID, Long> counts = new TreeMap<>();
        batch.forEach(hits -> hits.forEach(id -> counts.merge(id, 1L, Long::sum)));
        OffsetDateTime now = parts.time().now();
        Tuple parameters = Tuple.tuple()
                .addArrayOfUUID(counts.keySet().toArray(UUID[]::new))
                .addArrayOfLong(counts.values().toArray(Long[]::new))
                .addOffsetDateTime(now);
        return database.transaction(
                        Deadline.afterMillis(parts.clock(), RecallLog.WRITE_MILLIS),
                        connection -> connection.preparedQuery(ACCESSED).execute(parameters))
                .<Void>mapEmpty()
                .onSuccess(ignored -> troubles.over())
                .onFailure(error -> {
                    failed.increment(batch.size());
                    troubles.trouble("recalls of memories are not counted", error);
                });
    }
}
