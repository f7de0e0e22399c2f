package io.recallgate.gateway.runtime;

import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import io.recallgate.gateway.postgres.EmbeddedPostgres;
import io.recallgate.gateway.postgres.PostgresEndpoint;
import io.recallgate.gateway.postgres.PostgresOptions;
import io.recallgate.recall.database.DatabaseOptions;
import io.recallgate.time.Clock;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** The embedded PostgreSQL, started and stopped on worker threads. */
final class EmbeddedDatabase implements DatabasePart {

    private final Vertx vertx;
    private final Clock clock;
    private final Path dataDir;
    private final int poolSize;
    private final AtomicReference<@Nullable Running> running = new AtomicReference<>();

    /** A start on a thread of its own, which a stop can interrupt: the first one unpacks and initialises for seconds. */
    private record Running(Thread starter, Future<EmbeddedPostgres> postgres) {}

    EmbeddedDatabase(Vertx vertx, Clock clock, Path dataDir, int poolSize) {
        this.vertx = vertx;
        this.clock = clock;
        this.dataDir = dataDir;
        this.poolSize = poolSize;
    }

    @Override
    public Future<DatabaseOptions> start() {
        Promise<EmbeddedPostgres> started = Promise.promise();
        Thread starter = new Thread(() -> startBlocking(started), "recallgate-postgres-start");
        starter.setDaemon(true);
        running.set(new Running(starter, started.future()));
        starter.start();
        return started.future().map(this::options);
    }

    private void startBlocking(Promise<EmbeddedPostgres> started) {
        try {
            started.complete(EmbeddedPostgres.start(PostgresOptions.of(dataDir), clock));
        } catch (InterruptedException | RuntimeException failed) {
            // The thread ends here, so nobody is left to see its interrupt.
            started.fail(failed);
        }
    }

    private DatabaseOptions options(EmbeddedPostgres postgres) {
        PostgresEndpoint at = postgres.endpoint();
        return new DatabaseOptions(
                at.host(),
                at.port(),
                at.database(),
                at.user(),
                at.password(),
                DatabaseOptions.Tls.DISABLE,
                null,
                poolSize,
                DatabaseOptions.DEFAULT_MAX_WAITING,
                DatabaseOptions.DEFAULT_CONNECT_TIMEOUT_MILLIS);
    }

    /** Interrupts a start that is still under way; what it started all the same is stopped too. */
    @Override
    public Future<Void> stop() {
        Running started = running.getAndSet(null);
        if (started == null) {
            return Future.succeededFuture();
        }
        if (!started.postgres().isComplete()) {
            started.starter().interrupt();
        }
        return started.postgres()
                .transform(result -> result.failed()
                        ? Future.succeededFuture()
                        : vertx.executeBlocking(() -> stopBlocking(result.result()), false));
    }

    private static @Nullable Void stopBlocking(EmbeddedPostgres postgres) throws InterruptedException {
        if (!postgres.stop()) {
            throw new FailureException(
                    FailureCode.DATABASE_UNAVAILABLE,
                    "the embedded PostgreSQL did not end; the next start deals with it");
        }
        return null;
    }

    @Override
    public String describe() {
        Running started = running.get();
        String state = started != null && started.postgres().succeeded()
                ? started.postgres().result().state().name()
                : "STARTING";
        return "embedded, " + state.toLowerCase(Locale.ROOT);
    }
}
