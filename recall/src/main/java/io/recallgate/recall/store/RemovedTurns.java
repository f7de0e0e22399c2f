package io.recallgate.recall.store;

import io.recallgate.recall.api.Scope;
import io.recallgate.recall.api.StoredMemory;
import io.recallgate.recall.database.DatabaseTime;
import io.recallgate.recall.database.Statements;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Tuple;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/**
 * Which turns of conversations somebody removed, by their external ids, so that a client that sends a turn once more does not
 * bring them back. Whoever writes one by its own wish, as an import does, is not kept from it. The connection belongs to the
 * caller's transaction; any thread.
 */
public final class RemovedTurns {

    /** Of a scope; some 100 bytes each. They also go by age, as checkpoints do. */
    static final int KEPT = 10_000;

    private static final String NOTE = Statements.load("store/note-removed");
    private static final String TRIM = Statements.load("store/trim-removed");
    private static final String DROP = Statements.load("store/drop-removed");

    private final DatabaseTime time;

    /** @param time of what is noted */
    public RemovedTurns(DatabaseTime time) {
        this.time = time;
    }

    /** Notes the turns among what was removed. */
    Future<Void> note(SqlConnection connection, Scope scope, RowSet<Row> removed) {
        List<String> turns = new ArrayList<>();
        for (Row row : removed) {
            String turn = row.getString("turn");
            if (turn != null) {
                turns.add(turn);
            }
        }
        if (turns.isEmpty()) {
            return Future.succeededFuture();
        }
        Future<?> noted = connection
                .preparedQuery(NOTE)
                .execute(Tuple.of(scope.owner(), scope.project(), turns.toArray(String[]::new), time.now()));
        Future<?> trimmed = connection.preparedQuery(TRIM).execute(Tuple.of(scope.owner(), scope.project(), KEPT));
        return Future.all(noted, trimmed).mapEmpty();
    }

    /**
     * Takes back what a turn has just written anew though it was removed before. After the write and not before: a memory can
     * only be written anew when whoever removed it has committed, so that this sees all of it.
     *
     * @param stored by the same transaction
     */
    public Future<Void> drop(SqlConnection connection, Scope scope, List<StoredMemory> stored) {
        UUID[] fresh = stored.stream()
                .filter(memory -> memory.change() == StoredMemory.Change.STORED)
                .map(StoredMemory::id)
                .toArray(UUID[]::new);
        return fresh.length == 0
                ? Future.succeededFuture()
                : connection
                        .preparedQuery(DROP)
                        .execute(Tuple.of(scope.owner(), scope.project(), fresh))
                        .mapEmpty();
    }
}
