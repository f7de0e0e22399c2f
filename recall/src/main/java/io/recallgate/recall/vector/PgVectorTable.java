package io.recallgate.recall.vector;

import io.recallgate.recall.api.Scope;
import io.recallgate.recall.database.Database;
import io.recallgate.recall.database.Statements;
import io.recallgate.time.Clock;
import io.recallgate.time.Deadline;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Tuple;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Makes the derived table and fills it with what was written while there was none. Idempotent; safe on several nodes. */
final class PgVectorTable {

    private static final Logger LOG = LoggerFactory.getLogger(PgVectorTable.class);

    private static final String CREATE_EXTENSION = Statements.load("pgvector/create-extension");
    private static final String LOCK = Statements.load("pgvector/lock");
    private static final String CREATE_TABLE = Statements.load("pgvector/create-table");
    private static final String CREATE_SCOPE_INDEX = Statements.load("pgvector/create-scope-index");
    private static final String MISSING = Statements.load("pgvector/missing");
    private static final String INSERT = Statements.load("pgvector/insert");

    private static final long STEP_MILLIS = 60_000;
    private static final int PAGE_ROWS = 500;

    private final Database database;
    private final Clock clock;

    PgVectorTable(Database database, Clock clock) {
        this.database = database;
        this.clock = clock;
    }

    /** Where a page ended. */
    private record Place(UUID memoryId, String fingerprint, int passage) {
        static final Place START = new Place(new UUID(0, 0), "", -1);
    }

    /** Completes when every vector is derived. */
    Future<Void> prepare() {
        return database.transaction(soon(), connection -> run(connection, LOCK)
                        .compose(ignored -> run(connection, CREATE_EXTENSION))
                        .compose(ignored -> run(connection, CREATE_TABLE))
                        .compose(ignored -> run(connection, CREATE_SCOPE_INDEX)))
                .compose(ignored -> fill(Place.START, 0));
    }

    private Future<Void> fill(Place from, long sofar) {
        return database.transaction(soon(), connection -> connection
                        .preparedQuery(MISSING)
                        .execute(Tuple.of(from.memoryId, from.fingerprint, from.passage, (long) PAGE_ROWS))
                        .compose(rows -> {
                            List<Tuple> derived = new ArrayList<>();
                            Place last = from;
                            for (Row row : rows) {
                                last = new Place(row.getUUID(0), row.getString(1), row.getInteger(2));
                                derived.add(derived(row));
                            }
                            Place end = last;
                            return derived.isEmpty()
                                    ? Future.succeededFuture(end)
                                    : connection
                                            .preparedQuery(INSERT)
                                            .executeBatch(derived)
                                            .map(ignored -> end);
                        }))
                .compose(end -> {
                    if (end.equals(from)) {
                        if (sofar > 0) {
                            LOG.info("the derived vector table is complete again");
                        }
                        return Future.succeededFuture();
                    }
                    LOG.info("deriving vectors for pgvector: page {}", sofar + 1);
                    return fill(end, sofar + 1);
                });
    }

    private static Tuple derived(Row row) {
        byte[] bytes = row.getBuffer(5).getBytes();
        float[] values = new float[bytes.length / Float.BYTES];
        ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).asFloatBuffer().get(values);
        Scope scope = new Scope(row.getString(3), row.getString(4));
        return PgVectorIndex.row(
                row.getUUID(0), row.getString(1), row.getInteger(2), scope, PgVectorIndex.boxed(values));
    }

    private Deadline soon() {
        return Deadline.afterMillis(clock, STEP_MILLIS);
    }

    private static Future<Void> run(SqlConnection connection, String statement) {
        return connection.query(statement).execute().mapEmpty();
    }
}
