package io.recallgate.recall.vector;

import io.recallgate.recall.api.MemoryKind;
import io.recallgate.recall.api.Scope;
import io.recallgate.recall.database.Database;
import io.recallgate.recall.database.Statements;
import io.recallgate.recall.vector.VectorIndex.VectorQuery;
import io.recallgate.time.CancelSignal;
import io.recallgate.time.Deadline;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.Tuple;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Reads {@code memory_vector}. Stateless; may be used on any thread. */
final class VectorReader {

    /** Rows of a page: about 800 KiB at 384 dimensions, decoded in about a millisecond of the event loop. */
    static final int PAGE_ROWS = 500;

    /** When more changed than this, all is read anew. */
    private static final int MAX_CHANGES = 2_000;

    private static final String HORIZON = Statements.load("vector/horizon");
    private static final String PAGE = Statements.load("vector/page");
    private static final String CHANGES = Statements.load("vector/changes");
    private static final String PRESENT = Statements.load("vector/present");
    private static final String COUNT = Statements.load("vector/count");
    private static final String ALLOWED = Statements.load("vector/allowed");
    private static final String SUPERSEDED = Statements.load("vector/superseded");

    private final Database database;

    VectorReader(Database database) {
        this.database = database;
    }

    /** One passage as it is stored. */
    @SuppressWarnings("ArrayRecordComponent") // private to the package and never changed
    record Passage(UUID memoryId, int number, float[] values) {}

    /** What changed, and from where to look next. */
    record Changes(String horizon, List<Passage> passages, boolean complete) {}

    Future<String> horizon(Deadline deadline) {
        return rows(HORIZON, Tuple.tuple(), deadline)
                .map(rows -> rows.iterator().next().getString(0));
    }

    /** The passages after the given one, in order of memory and passage. */
    Future<List<Passage>> page(Scope scope, String fingerprint, UUID afterId, int afterNumber, Deadline deadline) {
        Tuple parameters = scoped(scope, fingerprint)
                .addUUID(afterId)
                .addInteger(afterNumber)
                .addLong((long) PAGE_ROWS);
        return rows(PAGE, parameters, deadline).map(rows -> {
            List<Passage> passages = new ArrayList<>();
            rows.forEach(row -> passages.add(passage(row, 0)));
            return passages;
        });
    }

    Future<Changes> changes(Scope scope, String fingerprint, String horizon, Deadline deadline) {
        Tuple parameters = scoped(scope, fingerprint).addString(horizon).addLong((long) MAX_CHANGES);
        return rows(CHANGES, parameters, deadline).map(rows -> {
            List<Passage> passages = new ArrayList<>();
            String next = horizon;
            for (Row row : rows) {
                next = row.getString(0);
                if (row.getUUID(1) != null) {
                    passages.add(passage(row, 1));
                }
            }
            return new Changes(next, passages, passages.size() < MAX_CHANGES);
        });
    }

    Future<Set<UUID>> present(Scope scope, String fingerprint, Collection<UUID> ids, Deadline deadline) {
        Tuple parameters = scoped(scope, fingerprint).addArrayOfUUID(ids.toArray(UUID[]::new));
        return rows(PRESENT, parameters, deadline).map(VectorReader::ids);
    }

    Future<Long> count(Scope scope, String fingerprint, Deadline deadline) {
        return rows(COUNT, scoped(scope, fingerprint), deadline)
                .map(rows -> rows.iterator().next().getLong(0));
    }

    /** What the query's filters admit; null where it has none. {@code cancel} ends the statement. */
    Future<@Nullable Set<UUID>> allowed(VectorQuery query, Deadline deadline, CancelSignal cancel) {
        if (query.session() == null && query.kinds().isEmpty()) {
            return Future.succeededFuture();
        }
        Tuple parameters = Tuple.of(
                query.scope().owner(),
                query.scope().project(),
                query.session(),
                kindNames(query.kinds()),
                query.includeSuperseded());
        return filter(ALLOWED, parameters, deadline, cancel).map(ids -> ids);
    }

    /** What the query leaves out because others supersede it: a handful, of however many there are. */
    Future<Set<UUID>> superseded(VectorQuery query, Deadline deadline, CancelSignal cancel) {
        return query.includeSuperseded()
                ? Future.succeededFuture(Set.of())
                : filter(
                        SUPERSEDED,
                        Tuple.of(query.scope().owner(), query.scope().project()),
                        deadline,
                        cancel);
    }

    private Future<Set<UUID>> filter(String statement, Tuple parameters, Deadline deadline, CancelSignal cancel) {
        return database.connection(deadline, cancel, connection -> connection
                        .preparedQuery(statement)
                        .execute(parameters))
                .map(VectorReader::ids);
    }

    static String[] kindNames(Set<MemoryKind> kinds) {
        return (kinds.isEmpty() ? Set.of(MemoryKind.values()) : kinds)
                .stream().map(MemoryKind::wireName).sorted().toArray(String[]::new);
    }

    private static Set<UUID> ids(RowSet<Row> rows) {
        Set<UUID> ids = new HashSet<>();
        rows.forEach(row -> ids.add(row.getUUID(0)));
        return ids;
    }

    private static Passage passage(Row row, int first) {
        byte[] bytes = row.getBuffer(first + 2).getBytes();
        float[] values = new float[bytes.length / Float.BYTES];
        ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).asFloatBuffer().get(values);
        return new Passage(row.getUUID(first), row.getInteger(first + 1), values);
    }

    private static Tuple scoped(Scope scope, String fingerprint) {
        return Tuple.of(scope.owner(), scope.project(), fingerprint);
    }

    private Future<RowSet<Row>> rows(String sql, Tuple parameters, Deadline deadline) {
        return database.connection(
                deadline, connection -> connection.preparedQuery(sql).execute(parameters));
    }
}
