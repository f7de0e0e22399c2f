package io.recallgate.recall.store;

import io.recallgate.recall.api.ExportPage;
import io.recallgate.recall.api.ExportQuery;
import io.recallgate.recall.api.ExportedMemory;
import io.recallgate.recall.api.Scope;
import io.recallgate.recall.database.Database;
import io.recallgate.recall.database.Statements;
import io.recallgate.time.Deadline;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Tuple;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads a scope part by part in the order of storing. A connection is held for one part only: a reader may be slow, and
 * one snapshot over all parts would keep a transaction open, and the table's dead rows, for as long as it likes.
 */
final class MemoryExport {

    /** Short turns make a part of some tens of KiB. */
    static final int PAGE_ROWS = 500;

    /** The largest memory is as large: a part holds at most this and one memory more. */
    static final long PAGE_BYTES = 1L << 20;

    private static final String END = Statements.load("store/export-end");
    private static final String PAGE = Statements.load("store/export");

    private final Database database;

    MemoryExport(Database database) {
        this.database = database;
    }

    Future<ExportPage> page(Scope scope, ExportQuery query, Deadline deadline) {
        return database.connection(deadline, connection -> end(connection, scope, query)
                .compose(until -> page(connection, scope, query, until)));
    }

    private static Future<Long> end(SqlConnection connection, Scope scope, ExportQuery query) {
        return query.until() != null
                ? Future.succeededFuture(query.until())
                : connection
                        .preparedQuery(END)
                        .execute(Tuple.of(scope.owner(), scope.project()))
                        .map(rows -> rows.iterator().next().getLong("position"));
    }

    private static Future<ExportPage> page(SqlConnection connection, Scope scope, ExportQuery query, long until) {
        Tuple values = Tuple.tuple()
                .addValue(scope.owner())
                .addValue(scope.project())
                .addValue(query.after())
                .addValue(until)
                .addValue(query.session())
                .addValue(PAGE_ROWS)
                .addValue(PAGE_BYTES);
        return connection.preparedQuery(PAGE).execute(values).map(rows -> {
            List<ExportedMemory> memories = new ArrayList<>(rows.size());
            long last = until;
            for (Row row : rows) {
                memories.add(new ExportedMemory(row.getUUID("id"), MemoryRows.draft(row), MemoryRows.access(row)));
                last = row.getLong("position");
            }
            return new ExportPage(memories, last >= until ? null : new ExportQuery(query.session(), last, until));
        });
    }
}
