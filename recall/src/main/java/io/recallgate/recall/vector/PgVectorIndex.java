package io.recallgate.recall.vector;

import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import io.recallgate.recall.api.Scope;
import io.recallgate.recall.database.Database;
import io.recallgate.recall.database.Plans;
import io.recallgate.recall.database.Statements;
import io.recallgate.recall.rank.IdOrder;
import io.recallgate.time.CancelSignal;
import io.recallgate.time.Clock;
import io.recallgate.time.Deadline;
import io.vertx.core.Future;
import io.vertx.pgclient.PgException;
import io.vertx.sqlclient.Cursor;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Tuple;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

/**
 * {@link VectorIndex} for servers with pgvector: keeps its own table of {@code vector} values, derived row by row from
 * {@code memory_vector} and gone with it. A small owner is compared exactly; a large one goes through an HNSW index with
 * iterative scan, once there is one. Thread-safe.
 */
public final class PgVectorIndex implements VectorIndex {

    /** Up to here an exact comparison takes no longer than a search through the index, and finds everything. */
    static final int SMALL_OWNER = 10_000;

    private static final long SIZE_NANOS = TimeUnit.SECONDS.toNanos(30);
    private static final int MAX_SIZES = 10_000;
    /** The index is read on, this many passages at a time, until enough memories are among them. */
    private static final int PAGE_PASSAGES = 256;
    /** How many memories are read for each that is wanted: later rounds of the scan find some that are nearer. */
    private static final double READ_PER_WANTED = 1.5;
    /** Nor further than the scan itself goes: see {@code sql/pgvector/iterative-scan.sql}. */
    private static final int MAX_PASSAGES = 40_000;

    private static final String INSERT = Statements.load("pgvector/insert");
    private static final String EXACT = Statements.load("pgvector/exact");
    private static final String EXACT_FILTERED = Statements.load("pgvector/exact-filtered");
    private static final String SIMILARITIES = Statements.load("pgvector/similarities");
    private static final String APPROXIMATE = Statements.load("pgvector/approximate");
    private static final String ITERATIVE_SCAN = Statements.load("pgvector/iterative-scan");
    private static final String SIZE = Statements.load("pgvector/size");

    private static final Comparator<VectorHit> BEST_FIRST = Comparator.comparingDouble(VectorHit::similarity)
            .reversed()
            .thenComparing(VectorHit::memoryId, IdOrder.BYTES);

    private final Database database;
    private final Clock clock;
    private final HnswIndexes indexes;
    private final int smallOwner;
    private final Map<SizeKey, Size> sizes = new LinkedHashMap<>(16, 0.75f, true);

    /** The derived table exists and is complete: see {@link PgVectorTable}. */
    PgVectorIndex(Database database, Clock clock, int smallOwner) {
        this.database = database;
        this.clock = clock;
        this.indexes = new HnswIndexes(database, clock);
        this.smallOwner = smallOwner;
    }

    private record SizeKey(Scope scope, String fingerprint) {}

    private record Size(long vectors, long atNanos) {}

    HnswIndexes indexes() {
        return indexes;
    }

    @Override
    public Future<List<VectorHit>> search(VectorQuery query, Deadline deadline, CancelSignal cancel) {
        if (query.session() != null || !query.kinds().isEmpty()) {
            // The filter would run after the index and might leave next to nothing.
            return exact(query, deadline, cancel);
        }
        return size(query, deadline).compose(size -> {
            boolean large = size > smallOwner;
            return large && indexes.usable(query.fingerprint(), query.vector().dimensions())
                    ? approximate(query, deadline, cancel)
                    : exact(query, deadline, cancel);
        });
    }

    @Override
    public Future<Map<UUID, Double>> similarities(
            VectorQuery query, Collection<UUID> memoryIds, Deadline deadline, CancelSignal cancel) {
        if (memoryIds.isEmpty()) {
            return Future.succeededFuture(Map.of());
        }
        Tuple parameters = Tuple.of(query.scope().owner(), query.scope().project(), query.fingerprint())
                .addArrayOfFloat(boxed(query.vector().toArray()))
                .addArrayOfUUID(memoryIds.toArray(UUID[]::new));
        return database.connection(deadline, cancel, Plans.KEPT, connection -> told(
                        connection.preparedQuery(SIMILARITIES).execute(parameters), query)
                .map(rows -> {
                    Map<UUID, Double> similarities = new HashMap<>();
                    rows.forEach(row -> similarities.put(row.getUUID(0), row.getDouble(1)));
                    return similarities;
                }));
    }

    @Override
    public Future<Void> replace(SqlConnection transaction, List<StoredVector> vectors) {
        if (vectors.isEmpty()) {
            return Future.succeededFuture();
        }
        List<Tuple> rows = vectors.stream()
                .map(one -> row(
                        one.memoryId(),
                        one.fingerprint(),
                        one.passage(),
                        one.scope(),
                        boxed(one.vector().toArray())))
                .toList();
        return transaction.preparedQuery(INSERT).executeBatch(rows).mapEmpty();
    }

    static Tuple row(UUID memoryId, String fingerprint, int passage, Scope scope, Float[] values) {
        return Tuple.of(memoryId, fingerprint, passage, scope.owner(), scope.project())
                .addArrayOfFloat(values);
    }

    static Float[] boxed(float[] values) {
        Float[] boxed = new Float[values.length];
        for (int i = 0; i < values.length; i++) {
            boxed[i] = values[i];
        }
        return boxed;
    }

    @Override
    public Future<Void> remove(SqlConnection transaction, Scope scope, List<UUID> memoryIds) {
        // The derived rows reference the true ones and go with them.
        return Future.succeededFuture();
    }

    @Override
    public void committed(Scope scope) {
        // Reads see what is committed.
    }

    @Override
    public Future<Void> close() {
        return Future.succeededFuture();
    }

    private Future<List<VectorHit>> exact(VectorQuery query, Deadline deadline, CancelSignal cancel) {
        boolean filtered = query.session() != null || !query.kinds().isEmpty();
        Tuple parameters = Tuple.of(query.scope().owner(), query.scope().project(), query.fingerprint())
                .addArrayOfFloat(boxed(query.vector().toArray()))
                .addLong((long) query.limit());
        if (filtered) {
            parameters.addString(query.session()).addArrayOfString(VectorReader.kindNames(query.kinds()));
        }
        parameters.addBoolean(query.includeSuperseded());
        return database.connection(deadline, cancel, connection -> told(
                        connection
                                .preparedQuery(filtered ? EXACT_FILTERED : EXACT)
                                .execute(parameters),
                        query)
                .map(rows -> {
                    List<VectorHit> hits = new ArrayList<>();
                    rows.forEach(row -> hits.add(new VectorHit(row.getUUID(0), row.getDouble(1))));
                    return hits;
                }));
    }

    private Future<List<VectorHit>> approximate(VectorQuery query, Deadline deadline, CancelSignal cancel) {
        String statement = HnswIndexes.filled(
                APPROXIMATE, "", query.fingerprint(), query.vector().dimensions());
        Tuple parameters = Tuple.of(query.scope().owner(), query.scope().project())
                .addArrayOfFloat(boxed(query.vector().toArray()))
                .addBoolean(query.includeSuperseded());
        return database.snapshot(deadline, cancel, connection -> connection
                        .query(ITERATIVE_SCAN)
                        .execute()
                        .compose(ignored -> connection.prepare(statement))
                        .compose(prepared -> {
                            Cursor cursor = prepared.cursor(parameters);
                            return read(cursor, new HashMap<>(), 0, (int) (READ_PER_WANTED * query.limit()), cancel)
                                    .eventually(() -> prepared.close());
                        }))
                // The scan gave up before the filter let enough through.
                .compose(best -> best.size() < query.limit()
                        ? exact(query, deadline, cancel)
                        : Future.succeededFuture(nearest(best, query.limit())));
    }

    /** About nearest first: which passage of a memory is its best is known only after them all. */
    private static Future<Map<UUID, Double>> read(
            Cursor cursor, Map<UUID, Double> best, int sofar, int enough, CancelSignal cancel) {
        if (cancel.isCancelled()) {
            // Between two pages there is no statement that could be ended.
            return Future.failedFuture(new FailureException(FailureCode.CANCELLED, "the caller gave up"));
        }
        return cursor.read(PAGE_PASSAGES).compose(rows -> {
            for (Row row : rows) {
                best.merge(row.getUUID(0), row.getDouble(1), Math::max);
            }
            int seen = sofar + rows.size();
            return best.size() < enough && cursor.hasMore() && seen < MAX_PASSAGES
                    ? read(cursor, best, seen, enough, cancel)
                    : Future.succeededFuture(best);
        });
    }

    private static List<VectorHit> nearest(Map<UUID, Double> best, int limit) {
        List<VectorHit> hits = new ArrayList<>();
        best.forEach((id, similarity) -> hits.add(new VectorHit(id, similarity)));
        hits.sort(BEST_FIRST);
        return hits.subList(0, Math.min(limit, hits.size()));
    }

    private Future<Long> size(VectorQuery query, Deadline deadline) {
        SizeKey key = new SizeKey(query.scope(), query.fingerprint());
        long now = clock.nanoTime();
        synchronized (sizes) {
            Size known = sizes.get(key);
            // Once large, an owner hardly gets small again; and both ways are right.
            if (known != null && now - known.atNanos < SIZE_NANOS) {
                return Future.succeededFuture(known.vectors);
            }
        }
        Tuple parameters = Tuple.of(key.scope.owner(), key.scope.project(), key.fingerprint, smallOwner + 1L);
        return database.connection(
                        deadline, connection -> connection.preparedQuery(SIZE).execute(parameters))
                .map(rows -> {
                    long size = rows.iterator().next().getLong(0);
                    synchronized (sizes) {
                        sizes.put(key, new Size(size, now));
                        if (sizes.size() > MAX_SIZES) {
                            sizes.remove(sizes.keySet().iterator().next());
                        }
                    }
                    return size;
                });
    }

    /** The server compares vectors of one dimension only, and says so in words of its own. */
    private static Future<RowSet<Row>> told(Future<RowSet<Row>> rows, VectorQuery query) {
        return rows.recover(error -> error instanceof PgException pg
                        && "22000".equals(pg.getSqlState())
                        && String.valueOf(pg.getErrorMessage()).contains("dimensions")
                ? Future.<RowSet<Row>>failedFuture(mismatch(query).causedBy(error))
                : Future.failedFuture(error));
    }

    private static FailureException mismatch(VectorQuery query) {
        return VectorScan.dimensionMismatch(query.vector().dimensions());
    }
}
