package io.recallgate.recall.jobs;

import io.recallgate.recall.api.Scope;
import io.recallgate.recall.database.Database;
import io.recallgate.recall.database.DatabaseTime;
import io.recallgate.recall.database.Statements;
import io.recallgate.recall.vector.VectorIndex;
import io.recallgate.time.Clock;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Tuple;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Which memories have all their vectors of which model, looked at a page of memories at a time. A memory some of whose
 * passages are missing counts as one without vectors. Any thread.
 */
final class VectorTable {

    private static final String BACKFILL = Statements.load("jobs/backfill");
    private static final String REMOVE_OTHERS = Statements.load("jobs/remove-other-vectors");

    private final Database database;
    private final VectorIndex vectors;
    private final Clock clock;
    private final DatabaseTime time;

    VectorTable(Database database, VectorIndex vectors, Clock clock, DatabaseTime time) {
        this.database = database;
        this.vectors = vectors;
        this.clock = clock;
        this.time = time;
    }

    /**
     * A page that was looked at.
     *
     * @param memories how many it had; fewer than asked for: there are no more
     * @param last where it ended, {@code after} if it was empty
     * @param opened jobs that were opened for memories without all vectors
     * @param pending memories without all vectors whose job was open already
     * @param youngestOtherMillis age of the youngest vector of another model, null if there is none
     */
    record Page(
            int memories,
            UUID last,
            int opened,
            int pending,
            @Nullable Long youngestOtherMillis) {}

    /**
     * A page of removals.
     *
     * @param memories as in {@link Page}
     * @param last as in {@link Page}
     * @param removed vectors that are gone
     */
    record Removals(int memories, UUID last, int removed) {}

    /** Opens jobs for those of the next memories that do not have all vectors of this model. */
    Future<Page> backfill(String fingerprint, UUID after, int memories) {
        Tuple values = Tuple.of(time.now(), fingerprint, after, memories, Scope.PROBE_OWNER);
        return database.connection(
                        Statements.inBackground(clock),
                        connection -> connection.preparedQuery(BACKFILL).execute(values))
                .map(rows -> {
                    Row row = rows.iterator().next();
                    return new Page(
                            row.getInteger("memories"),
                            Objects.requireNonNullElse(row.getUUID("last"), after),
                            row.getInteger("opened"),
                            row.getInteger("pending"),
                            row.getLong("youngest_other_millis"));
                });
    }

    /** Removes vectors of other models, of those of the next memories that have all of this model. */
    Future<Removals> removeOthers(String fingerprint, UUID after, int memories, long olderThanMillis) {
        Tuple values = Tuple.of(fingerprint, after, memories, (double) olderThanMillis);
        Map<Scope, Set<UUID>> touched = new LinkedHashMap<>();
        return database.transaction(Statements.inBackground(clock), connection -> connection
                        .preparedQuery(REMOVE_OTHERS)
                        .execute(values)
                        .compose(rows -> {
                            int removed = 0;
                            Removals page = new Removals(0, after, 0);
                            for (Row row : rows) {
                                UUID memory = row.getUUID("memory_id");
                                if (memory != null) {
                                    removed += row.getInteger("vectors");
                                    touched.computeIfAbsent(
                                                    new Scope(row.getString("owner"), row.getString("project")),
                                                    scope -> new LinkedHashSet<>())
                                            .add(memory);
                                }
                                page = new Removals(
                                        row.getInteger("memories"),
                                        Objects.requireNonNullElse(row.getUUID("last"), after),
                                        removed);
                            }
                            return tell(connection, touched).map(page);
                        }))
                .onSuccess(page -> touched.keySet().forEach(vectors::committed));
    }

    /** Caches that hold vectors of a model that was active look again, should it become so once more. */
    private Future<Void> tell(SqlConnection connection, Map<Scope, Set<UUID>> touched) {
        Future<Void> told = Future.succeededFuture();
        for (Map.Entry<Scope, Set<UUID>> scope : touched.entrySet()) {
            List<UUID> memories = new ArrayList<>(scope.getValue());
            told = told.compose(ignored -> vectors.remove(connection, scope.getKey(), memories));
        }
        return told;
    }
}
