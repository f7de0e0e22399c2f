package io.recallgate.recall.vector;

import io.micrometer.core.instrument.MeterRegistry;
import io.recallgate.recall.database.Database;
import io.recallgate.recall.database.Statements;
import io.recallgate.recall.read.ReadWorkers;
import io.recallgate.time.Clock;
import io.recallgate.time.Deadline;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowIterator;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Chooses the index that the database server allows. */
public final class VectorIndexes {

    private static final Logger LOG = LoggerFactory.getLogger(VectorIndexes.class);
    private static final String EXTENSION = Statements.load("pgvector/extension");
    private static final long LOOK_MILLIS = 10_000;

    private VectorIndexes() {}

    /**
     * Opens the index: pgvector where the server has it in a version that filters correctly, the in-process scan
     * elsewhere. The log says which and why.
     *
     * @param workers threads of the in-process scan; the caller closes them
     * @param cacheBytes bound of the in-process cache, read on each use
     * @return fails with a {@link io.recallgate.failure.FailureException} of the database
     */
    public static Future<VectorIndex> open(
            Database database, Clock clock, ReadWorkers workers, LongSupplier cacheBytes, MeterRegistry meters) {
        VectorIndex exact = new ExactVectorIndex(database, clock, workers, cacheBytes, meters);
        return database.connection(
                        Deadline.afterMillis(clock, LOOK_MILLIS),
                        connection -> connection.query(EXTENSION).execute())
                .compose(rows -> {
                    RowIterator<Row> row = rows.iterator();
                    if (!row.hasNext()) {
                        LOG.info("the database server has no pgvector: vectors are compared in process");
                        return Future.succeededFuture(exact);
                    }
                    Row extension = row.next();
                    String installed = extension.getString(1);
                    return pgvector(installed == null ? extension.getString(0) : installed, database, clock, exact);
                });
    }

    private static Future<VectorIndex> pgvector(String version, Database database, Clock clock, VectorIndex exact) {
        Version found = Version.parse(version);
        if (found == null || found.isBefore(0, 8, 0)) {
            LOG.warn("pgvector {} is too old (0.8.0 is needed): vectors are compared in process", version);
            return Future.succeededFuture(exact);
        }
        if (found.isBefore(0, 8, 4)) {
            LOG.warn("pgvector {} has known defects that 0.8.4 repairs; an update is advised", version);
        }
        return new PgVectorTable(database, clock)
                .prepare()
                .<VectorIndex>map(ignored -> {
                    LOG.info("vectors are searched with pgvector {}", version);
                    return new PgVectorIndex(database, clock, PgVectorIndex.SMALL_OWNER);
                })
                .recover(error -> {
                    LOG.warn("pgvector cannot be used; vectors are compared in process", error);
                    return Future.succeededFuture(exact);
                });
    }

    /** A version of three numbers. */
    record Version(int major, int minor, int patch) {
        static @Nullable Version parse(String text) {
            String[] parts = text.split("\\.", -1);
            try {
                return new Version(
                        Integer.parseInt(parts[0]),
                        parts.length > 1 ? Integer.parseInt(parts[1]) : 0,
                        parts.length > 2 ? Integer.parseInt(parts[2]) : 0);
            } catch (NumberFormatException e) {
                LOG.warn("a version of pgvector that cannot be read: {}", text, e);
                return null;
            }
        }

        boolean isBefore(int otherMajor, int otherMinor, int otherPatch) {
            if (major != otherMajor) {
                return major < otherMajor;
            }
            return minor != otherMinor ? minor < otherMinor : patch < otherPatch;
        }
    }
}
