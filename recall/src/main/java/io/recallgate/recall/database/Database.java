package io.recallgate.recall.database;

import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import io.recallgate.time.Deadline;
import io.recallgate.time.Timers;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.net.ClientSSLOptions;
import io.vertx.core.net.NetClientOptions;
import io.vertx.core.net.PemTrustOptions;
import io.vertx.pgclient.PgBuilder;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.pgclient.SslMode;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.PoolOptions;
import io.vertx.sqlclient.SqlConnection;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * A bounded pool of connections and the only way to run statements. May be used on any thread; results arrive on the
 * caller's Vert.x context when it has one.
 *
 * <p>Every unit of work has a deadline: the server keeps it as {@code statement_timeout}, and the caller is answered by
 * it whatever the server does. When the server answers nobody any more, all callers are told at once, and no more are
 * taken on until it does ({@link Heartbeat}). The connection stays with its unit until the statements in flight have settled; it is
 * never cancelled or closed under a running statement, since either would hit the next borrower.
 */
public final class Database {

    /** No statement runs longer, whatever its caller would wait: a bound on what a stuck one can hold. */
    static final long MAX_STATEMENT_MILLIS = 60_000;

    /** A transaction that lost a race runs again so often; more means contention that its caller should know about. */
    private static final int MAX_RUNS = 4;

    private final Vertx vertx;
    private final UnitOfWork.Ways ways;
    private volatile boolean closing;

    private Database(Vertx vertx, UnitOfWork.Ways ways) {
        this.vertx = vertx;
        this.ways = ways;
    }

    /** Makes the pool, and a line beside it that tells whether the server lives; connections open when needed. */
    public static Database open(Vertx vertx, DatabaseOptions options, Timers timers) {
        return new Database(
                vertx,
                new UnitOfWork.Ways(
                        pool(vertx, options, options.poolSize()),
                        new Turns(options.poolSize(), options.maxWaiting()),
                        new Heartbeat(timers, () -> pool(vertx, options, 1)),
                        timers));
    }

    private static Pool pool(Vertx vertx, DatabaseOptions options, int size) {
        PoolOptions bounds = new PoolOptions()
                .setMaxSize(size)
                // Nobody waits here but for a connection that is being opened or just given back.
                .setMaxWaitQueueSize(size)
                .setConnectionTimeout(options.connectTimeoutMillis())
                .setConnectionTimeoutUnit(TimeUnit.MILLISECONDS)
                .setIdleTimeout(4)
                .setIdleTimeoutUnit(TimeUnit.MINUTES);
        NetClientOptions net = new NetClientOptions()
                .setConnectTimeout(options.connectTimeoutMillis())
                .setTcpKeepAlive(true)
                // Above the pool's idle time and every statement: it ends connections whose peer is silently gone.
                .setIdleTimeout(5)
                .setIdleTimeoutUnit(TimeUnit.MINUTES);
        return PgBuilder.pool()
                .with(bounds)
                .with(net)
                .connectingTo(connectOptions(options))
                .using(vertx)
                .build();
    }

    /** How the client connects; also for connections outside the pool, such as that of LISTEN. */
    public static PgConnectOptions connectOptions(DatabaseOptions options) {
        PgConnectOptions connect = new PgConnectOptions()
                .setHost(options.host())
                .setPort(options.port())
                .setDatabase(options.database())
                .setUser(options.user())
                .setPassword(options.password() == null ? "" : options.password())
                .setCachePreparedStatements(true)
                .addProperty("application_name", "recallgate")
                // A generic plan knows nothing of the words and the owner that a search names, and then reads the rows
                // of every owner with these words; planning anew costs a tenth of a millisecond.
                .addProperty("plan_cache_mode", "force_custom_plan")
                // "already exists, skipping" is what we asked for, and the client logs each notice as a warning.
                .addProperty("client_min_messages", "warning")
                // A transaction whose owner is gone must not hold its locks for ever.
                .addProperty("idle_in_transaction_session_timeout", "60000")
                .setSslMode(SslMode.valueOf(options.tls().name()));
        if (options.tls() != DatabaseOptions.Tls.DISABLE) {
            ClientSSLOptions ssl = new ClientSSLOptions();
            if (options.tlsRootCertificate() == null) {
                ssl.setTrustAll(true);
            } else {
                ssl.setTrustOptions(new PemTrustOptions().addCertPath(options.tlsRootCertificate()))
                        .setHostnameVerificationAlgorithm(
                                options.tls() == DatabaseOptions.Tls.VERIFY_FULL ? "HTTPS" : "");
            }
            connect.setSslOptions(ssl);
        }
        return connect;
    }

    /**
     * Runs {@code work} in one transaction and commits it, or rolls back if it fails or the deadline passes before the
     * commit is sent. After that the outcome is unknown to a caller whose deadline passes.
     *
     * @param work may run again after a lost race (deadlock, serialisation), so it changes nothing but the database
     * @return fails with a {@link FailureException}
     */
    public <T> Future<T> transaction(Deadline deadline, Function<SqlConnection, Future<T>> work) {
        return attempt(deadline, work, 1);
    }

    /**
     * Runs {@code work} on one connection without a transaction: each statement commits for itself.
     *
     * @return fails with a {@link FailureException}
     */
    public <T> Future<T> connection(Deadline deadline, Function<SqlConnection, Future<T>> work) {
        return run(deadline, work, false).recover(error -> Future.failedFuture(DatabaseFailures.of(error)));
    }

    /**
     * Whether the database answers anybody: asked beside the pool, so that a pool in which callers queue is no trouble.
     *
     * @return fails with a {@link FailureException}
     */
    public Future<Void> ping(Deadline deadline) {
        if (deadline.isPassed()) {
            return Future.failedFuture(DatabaseFailures.deadlineExceeded());
        }
        Promise<Void> answer = UnitOfWork.promise(vertx);
        Timers.Timer timer = ways.timers()
                .schedule(deadline.remainingNanos(), () -> answer.tryFail(DatabaseFailures.deadlineExceeded()));
        ways.heartbeat().ask().onComplete(asked -> {
            timer.cancel();
            if (asked.succeeded()) {
                answer.tryComplete();
            } else {
                answer.tryFail(asked.cause());
            }
        });
        return answer.future();
    }

    /** Closes the pool once; units of work that come later fail with {@code shutting-down}. Idempotent. */
    public Future<Void> close() {
        if (closing) {
            return Future.succeededFuture();
        }
        closing = true;
        return ways.heartbeat().close().eventually(() -> ways.pool().close());
    }

    private <T> Future<T> attempt(Deadline deadline, Function<SqlConnection, Future<T>> work, int run) {
        return run(deadline, work, true)
                .recover(error -> DatabaseFailures.isRace(error) && run < MAX_RUNS && !deadline.isPassed()
                        ? attempt(deadline, work, run + 1)
                        : Future.failedFuture(DatabaseFailures.of(error)));
    }

    private <T> Future<T> run(Deadline deadline, Function<SqlConnection, Future<T>> work, boolean transaction) {
        if (closing) {
            return Future.failedFuture(new FailureException(FailureCode.SHUTTING_DOWN, "the database is closing"));
        }
        if (deadline.isPassed()) {
            return Future.failedFuture(DatabaseFailures.deadlineExceeded());
        }
        if (ways.heartbeat().isSilent()) {
            return Future.failedFuture(DatabaseFailures.silent());
        }
        return new UnitOfWork<>(vertx, ways, deadline, work, transaction).run();
    }
}
