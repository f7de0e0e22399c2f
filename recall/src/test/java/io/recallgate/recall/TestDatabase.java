package io.recallgate.recall;

import io.recallgate.recall.database.DatabaseOptions;
import io.recallgate.recall.database.JdbcSource;
import io.recallgate.recall.schema.Schema;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A fresh database for one test class, on one embedded PostgreSQL 17 for the whole JVM, or on the server with pgvector
 * that {@link #PGVECTOR_URL} names. Close it when the class is done. Safe from any thread; it blocks, so not for event
 * loops.
 */
public final class TestDatabase implements AutoCloseable {

    /** Environment variable with the URL of a server that has pgvector, whose role may create databases. */
    public static final String PGVECTOR_URL = "RECALLGATE_TEST_PGVECTOR_URL";

    private static final String TEMPLATE0 = " template template0 encoding 'UTF8' locale_provider libc locale 'C.UTF-8'";

    /** Templates that hold the schema, by server: copying one is faster than migrating each database. */
    private static final Map<DatabaseOptions, String> TEMPLATES = new HashMap<>();

    private static final Duration START_BOUND = Duration.ofMinutes(2);
    private static final int MAX_STARTS = 3;
    private static @Nullable EmbeddedPostgres embedded;

    private final DatabaseOptions server;
    private final DatabaseOptions options;

    private TestDatabase(DatabaseOptions server, DatabaseOptions options) {
        this.server = server;
        this.options = options;
    }

    /** A migrated database on the embedded server. */
    public static TestDatabase embedded() {
        return migrated(embeddedServer());
    }

    /** A migrated database on the server with pgvector; for tests that are enabled only where it is set. */
    public static TestDatabase pgvector() {
        String url = System.getenv(PGVECTOR_URL);
        if (url == null) {
            throw new IllegalStateException(PGVECTOR_URL + " is not set; such tests must be disabled then");
        }
        return migrated(DatabaseOptions.parse(url));
    }

    /** An empty database on the embedded server, not migrated. */
    public static TestDatabase empty() {
        return created(embeddedServer(), TEMPLATE0);
    }

    /** An empty database on the embedded server with another locale or encoding. */
    public static TestDatabase empty(String createOptions) {
        return created(embeddedServer(), " " + createOptions);
    }

    /** How to connect; small pools, as a test class needs few. */
    public DatabaseOptions options() {
        return options;
    }

    /** The same as a URL, for configuration. */
    public String url() {
        String password = options.password() == null ? "" : ":" + options.password();
        return "postgresql://" + options.user() + password + "@" + options.host() + ":" + options.port() + "/"
                + options.database();
    }

    /** A JDBC connection to look at it; the test closes it. */
    public Connection jdbc() {
        try {
            return JdbcSource.of(options).getConnection();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Runs statements as the owner. */
    public void execute(String sql) {
        execute(options, sql);
    }

    /** The first column of the first row as text; "null" when there is none. */
    public String queryText(String sql) {
        try (Connection connection = jdbc();
                Statement statement = connection.createStatement();
                var row = statement.executeQuery(sql)) {
            return row.next() ? String.valueOf(row.getString(1)) : "null";
        } catch (SQLException e) {
            throw new IllegalStateException(sql, e);
        }
    }

    /** Closes connections and drops the database. */
    @Override
    public void close() {
        execute(server, "drop database if exists \"" + options.database() + "\" with (force)");
    }

    private static synchronized DatabaseOptions embeddedServer() {
        if (embedded == null) {
            embedded = start(() -> EmbeddedPostgres.builder()
                    .setLocaleConfig("locale", "C.UTF-8")
                    .setLocaleConfig("encoding", "UTF8"));
        }
        return DatabaseOptions.parse(
                "postgresql://postgres:postgres@127.0.0.1:" + embedded.getPort() + "/postgres?sslmode=disable");
    }

    /**
     * Starts a server, which a cold machine may take long for. Its port is chosen some seconds before it listens on it:
     * where another process has taken it by then, the next try has another.
     */
    public static EmbeddedPostgres start(Supplier<EmbeddedPostgres.Builder> configured) {
        for (int tries = 1; ; tries++) {
            try {
                return configured.get().setPGStartupWait(START_BOUND).start();
            } catch (IOException | IllegalStateException e) {
                if (tries == MAX_STARTS) {
                    throw new IllegalStateException("the embedded server did not start", e);
                }
            }
        }
    }

    private static synchronized TestDatabase migrated(DatabaseOptions server) {
        String template = TEMPLATES.computeIfAbsent(server, key -> {
            TestDatabase fresh = created(key, TEMPLATE0);
            Schema.migrateBlocking(fresh.options);
            if (!key.equals(embeddedServer())) {
                // The embedded server goes with the JVM; the other one stays and must not collect templates.
                Runtime.getRuntime().addShutdownHook(new Thread(fresh::close));
            }
            return fresh.options.database();
        });
        return created(server, " template \"" + template + "\"");
    }

    private static TestDatabase created(DatabaseOptions server, String createOptions) {
        String name = "rg_test_" + UUID.randomUUID().toString().replace("-", "");
        execute(server, "create database \"" + name + "\"" + createOptions);
        return new TestDatabase(server, server.withDatabase(name).withPool(4, 64));
    }

    private static void execute(DatabaseOptions where, String sql) {
        try (Connection connection = JdbcSource.of(where).getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw new IllegalStateException(sql, e);
        }
    }
}
