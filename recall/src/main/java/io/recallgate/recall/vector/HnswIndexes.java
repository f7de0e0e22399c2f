package io.recallgate.recall.vector;

import io.recallgate.recall.database.Database;
import io.recallgate.recall.database.Statements;
import io.recallgate.time.Clock;
import io.recallgate.time.Deadline;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowIterator;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Tuple;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The HNSW indexes of the derived table, one for each model whose owners are large. Built outside every write, one at a
 * time over all nodes; until one is there, searches compare exactly. An index that a crash left invalid is dropped and
 * built anew. Thread-safe.
 */
final class HnswIndexes {

    /** What pgvector can index as {@code vector}. */
    static final int MAX_DIMENSIONS = 2_000;

    private static final Logger LOG = LoggerFactory.getLogger(HnswIndexes.class);

    private static final String STATE = Statements.load("pgvector/index-state");
    private static final String TRY_BUILD = Statements.load("pgvector/try-build");
    private static final String END_BUILD = Statements.load("pgvector/end-build");
    private static final String NO_TIMEOUT = Statements.load("pgvector/no-timeout");
    private static final String DROP = Statements.load("pgvector/drop-index");
    private static final String CREATE = Statements.load("pgvector/create-index");

    /** Fingerprints and dimensions become part of statements, so nothing else may be in them. */
    private static final Pattern SAFE = Pattern.compile("[0-9A-Za-z._:-]{1,200}");

    private static final long RETRY_NANOS = TimeUnit.SECONDS.toNanos(60);
    private static final long BUILD_MILLIS = TimeUnit.HOURS.toMillis(2);

    private final Database database;
    private final Clock clock;
    private final Set<String> usable = new HashSet<>();
    private final Map<String, Long> triedAtNanos = new HashMap<>();

    HnswIndexes(Database database, Clock clock) {
        this.database = database;
        this.clock = clock;
    }

    /** Whether an index for this model can be used now; if not, sees to it that one will be. Never waits. */
    boolean usable(String fingerprint, int dimensions) {
        if (dimensions > MAX_DIMENSIONS || !SAFE.matcher(fingerprint).matches()) {
            return false;
        }
        String name = name(fingerprint, dimensions);
        synchronized (this) {
            if (usable.contains(name)) {
                return true;
            }
            Long tried = triedAtNanos.get(name);
            if (tried != null && clock.nanoTime() - tried < RETRY_NANOS) {
                return false;
            }
            triedAtNanos.put(name, clock.nanoTime());
        }
        ensure(fingerprint, dimensions)
                .onFailure(error ->
                        LOG.warn("the vector index {} could not be built; searches compare exactly", name, error));
        return false;
    }

    /** Completes when the index is there, or another node is building it. */
    Future<Void> ensure(String fingerprint, int dimensions) {
        String name = name(fingerprint, dimensions);
        return database.connection(Deadline.afterMillis(clock, BUILD_MILLIS), connection -> valid(connection, name)
                        .compose(valid -> {
                            if (valid) {
                                return Future.succeededFuture(true);
                            }
                            return flag(connection, TRY_BUILD)
                                    .compose(mine -> mine
                                            ? build(connection, name, fingerprint, dimensions)
                                            : Future.succeededFuture(false));
                        }))
                .onSuccess(there -> {
                    if (there) {
                        synchronized (this) {
                            usable.add(name);
                        }
                    }
                })
                .mapEmpty();
    }

    private Future<Boolean> build(SqlConnection connection, String name, String fingerprint, int dimensions) {
        LOG.info("building the vector index {}", name);
        return run(connection, NO_TIMEOUT)
                // Whoever held the lock is gone, so an index that is not valid is a leftover.
                .compose(ignored -> valid(connection, name))
                .compose(valid -> valid
                        ? Future.succeededFuture()
                        : run(connection, filled(DROP, name, fingerprint, dimensions))
                                .compose(ignored -> run(connection, filled(CREATE, name, fingerprint, dimensions))))
                .onSuccess(ignored -> LOG.info("the vector index {} is ready", name))
                .transform(outcome -> run(connection, END_BUILD)
                        .transform(ignored -> outcome.succeeded()
                                ? Future.succeededFuture(true)
                                : Future.failedFuture(outcome.cause())));
    }

    /** Puts names and numbers, all checked, where parameters cannot stand. */
    static String filled(String statement, String name, String fingerprint, int dimensions) {
        if (!SAFE.matcher(fingerprint).matches()) {
            throw new IllegalArgumentException("a fingerprint that cannot be part of a statement");
        }
        return statement
                .replace("{index}", name)
                .replace("{fingerprint}", fingerprint)
                .replace("{dimensions}", Integer.toString(dimensions));
    }

    /** Short enough for PostgreSQL's 63 bytes, and as good as unique. */
    static String name(String fingerprint, int dimensions) {
        StringBuilder tag = new StringBuilder();
        for (int i = 0; i < fingerprint.length() && tag.length() < 24; i++) {
            char c = Character.toLowerCase(fingerprint.charAt(i));
            tag.append((c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ? c : '_');
        }
        return "memory_vector_hnsw_" + tag + "_" + Integer.toHexString(fingerprint.hashCode()) + "_" + dimensions;
    }

    private static Future<Boolean> valid(SqlConnection connection, String name) {
        return connection.preparedQuery(STATE).execute(Tuple.of(name)).map(rows -> {
            RowIterator<Row> row = rows.iterator();
            return row.hasNext() && row.next().getBoolean(0);
        });
    }

    private static Future<Boolean> flag(SqlConnection connection, String statement) {
        return connection.query(statement).execute().map(rows -> rows.iterator()
                .next()
                .getBoolean(0));
    }

    private static Future<Void> run(SqlConnection connection, String statement) {
        return connection.query(statement).execute().mapEmpty();
    }
}
