package io.recallgate.recall.retention;

import io.recallgate.recall.api.Scope;
import io.recallgate.recall.database.Database;
import io.recallgate.recall.database.DatabaseTime;
import io.recallgate.recall.database.Statements;
import io.recallgate.recall.vector.VectorIndex;
import io.recallgate.time.Clock;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/** The statements of retention. Any thread. */
final class RetentionTable {

    private static final String TRY_LOCK = Statements.load("retention/try-lock");
    private static final String NEXT_SCOPE = Statements.load("retention/next-scope");
    private static final String REMOVE = Statements.load("retention/remove");

    private final Database database;
    private final VectorIndex vectors;
    private final Clock clock;
    private final DatabaseTime time;

    RetentionTable(Database database, VectorIndex vectors, Clock clock, DatabaseTime time) {
        this.database = database;
        this.vectors = vectors;
        this.clock = clock;
        this.time = time;
    }

    /** The scope after {@code last} that has memories, the first of all after an empty one; empty if there is none. */
    Future<Optional<Scope>> next(Optional<Scope> last) {
        Tuple values = Tuple.of(
                last.map(Scope::owner).orElse(""), last.map(Scope::project).orElse(""));
        return database.connection(
                        Statements.inBackground(clock),
                        connection -> connection.preparedQuery(NEXT_SCOPE).execute(values))
                .map(rows -> {
                    for (Row row : rows) {
                        return Optional.of(new Scope(row.getString("owner"), row.getString("project")));
                    }
                    return Optional.empty();
                });
    }

    /**
     * Removes up to {@code limit} memories that nobody has changed for more than {@code days}.
     *
     * @return how many; empty if another node is at it
     */
    Future<Optional<Integer>> remove(Scope scope, int days, int limit) {
        return database.transaction(
                        Statements.inBackground(clock),
                        connection -> connection.query(TRY_LOCK).execute().compose(lock -> {
                            if (!lock.iterator().next().getBoolean("mine")) {
                                return Future.succeededFuture(Optional.<Integer>empty());
                            }
                            return connection
                                    .preparedQuery(REMOVE)
                                    .execute(Tuple.of(scope.owner(), scope.project(), time.now(), (double) days, limit))
                                    .compose(rows -> {
                                        List<UUID> removed = new ArrayList<>();
                                        rows.forEach(row -> removed.add(row.getUUID("id")));
                                        return removed.isEmpty()
                                                ? Future.succeededFuture(Optional.of(0))
                                                : vectors.remove(connection, scope, removed)
                                                        .map(Optional.of(removed.size()));
                                    });
                        }))
                .onSuccess(removed -> {
                    if (removed.orElse(0) > 0) {
                        vectors.committed(scope);
                    }
                });
    }
}
