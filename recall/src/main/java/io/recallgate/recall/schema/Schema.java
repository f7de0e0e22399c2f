package io.recallgate.recall.schema;

import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import io.recallgate.recall.database.DatabaseOptions;
import io.recallgate.recall.database.JdbcSource;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.FlywayException;
import org.flywaydb.core.api.MigrationInfo;

/** Checks and migrates a database. Two starters at once are safe: they take turns on an advisory lock. */
public final class Schema {

    /** Its own name, so that it does not meet another application's history. */
    private static final String HISTORY_TABLE = "recallgate_schema_history";

    /** Seconds to wait for another starter's migrations: one index over a large table takes so long. */
    private static final int LOCK_RETRIES = 120;

    private Schema() {}

    /**
     * What a successful start found.
     *
     * @param version of the schema, such as {@code 2}
     * @param migrations applied by this start
     * @param server version of PostgreSQL, such as {@code 17.5}
     */
    public record Report(String version, int migrations, String server) {}

    /**
     * Runs {@link #migrateBlocking} on a worker thread.
     *
     * @return fails with {@code database-unavailable} and one line that says what is wrong and what to do
     */
    public static Future<Report> migrate(Vertx vertx, DatabaseOptions options) {
        if (options.usesUnixSocket() && !vertx.isNativeTransportEnabled()) {
            // The migrations could use it, but the client of everything after them could not.
            return Future.failedFuture(new FailureException(
                    FailureCode.DATABASE_UNAVAILABLE,
                    "the database (" + options.describe() + ") is behind a Unix socket, which needs Vert.x's native"
                            + " transport, and that is not available here; use host and port"));
        }
        return vertx.executeBlocking(() -> migrateBlocking(options), false);
    }

    /**
     * Checks the server and applies what is missing. Blocks; for worker threads.
     *
     * @throws FailureException {@code database-unavailable} with one line that says what is wrong and what to do
     */
    public static Report migrateBlocking(DatabaseOptions options) {
        DataSource source = JdbcSource.of(options);
        ServerFacts facts;
        try (Connection connection = source.getConnection()) {
            facts = ServerFacts.read(connection);
        } catch (SQLException e) {
            throw SchemaFailures.ofConnect(options, e);
        }
        facts.requireUsable(options);
        Flyway flyway = Flyway.configure()
                .dataSource(source)
                .locations("classpath:db/migration")
                .table(HISTORY_TABLE)
                .placeholderReplacement(false)
                .createSchemas(false)
                .lockRetryCount(LOCK_RETRIES)
                .cleanDisabled(true)
                .load();
        try {
            refuseNewer(options, flyway);
            int applied = flyway.migrate().migrationsExecuted;
            // Another starter, newer than this one, may have gone first while we waited for the lock.
            refuseNewer(options, flyway);
            MigrationInfo current = flyway.info().current();
            return new Report(current == null ? "0" : String.valueOf(current.getVersion()), applied, facts.version());
        } catch (FlywayException e) {
            throw SchemaFailures.ofMigration(options, e);
        }
    }

    private static void refuseNewer(DatabaseOptions options, Flyway flyway) {
        for (MigrationInfo migration : flyway.info().applied()) {
            // By default Flyway lets a schema from the future pass; an old program would then write rows that the new
            // one does not expect (CONTRACTS E11).
            if (migration.getState().isResolved() || migration.getVersion() == null) {
                continue;
            }
            throw new FailureException(
                    FailureCode.DATABASE_UNAVAILABLE,
                    "the database (" + options.describe() + ") has schema version " + migration.getVersion()
                            + ", which is newer than this program knows; start a program of that version or newer");
        }
    }
}
