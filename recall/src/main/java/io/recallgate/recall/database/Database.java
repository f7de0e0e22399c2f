package io.recallgate.recall.database;

import io.micrometer.core.instrument.MeterRegistry;
import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import io.recallgate.recall.metrics.RecallMetric;
import io.recallgate.time.CancelSignal;
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
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A bounded pool of connections and the only way to run statements. May be used on any thread; results arrive on the
 * caller's Vert.x context when it has one.
 *
 * <p>Every unit of work has a deadline: the server keeps it as {@code statement_timeout}, and the caller is answered by
 * it whatever the server does. A caller who leaves earlier may have its statement ended ({@link StatementCancels}). When
 * the server answers nobody any more, all callers are told at once, and no more are taken on until it does ({@link
 * Heartbeat}). The connection stays with its unit until the statements in flight have settled; it is never closed under a
 * running statement, and never given back before a signal that cancels it has come, since either would hit the next
 * borrower. The one exception is a silent database that answers on a new connection only: then all that were open are
 * closed together.
 */
public final class Database {

    private static final Logger LOG = LoggerFactory.getLogger(Database.class);

    /** No statement runs longer, whatever its caller would wait: a bound on what a stuck one can hold. */
    static final long MAX_STATEMENT_MILLIS = 60_000;

    /** A transaction that lost a race runs again so often; more means contention that its caller should know about. */
    private static final int MAX_RUNS = 4;

    /** When the server ends a session without a statement. The pool does so before, so this ends abandoned ones. */
    static final long SERVER_IDLE_MILLIS = 300_000;

    /** Of the pool's sizes: so many times it may be abandoned before the server has let go of the first. */
    private static final int ABANDONED_POOLS = 3;

    /** What the doubling of its time allows of lines given up in {@link AbandonedConnections#HELD_MILLIS}. */
    private static final int ABANDONED_LINES = 20;

    /** Above the pool's idle time and every statement: it ends connections whose peer is silently gone. */
    private static final int POOL_IDLE_SECONDS = 300;

    /** Below the four minutes after which the first firewalls forget a connection on which nothing is said. */
    private static final int LINE_IDLE_SECONDS = 120;

    private final Vertx vertx;
    private final DatabaseOptions options;
    private final Timers timers;
    private final AbandonedConnections abandonedPools;
    private final AbandonedConnections abandonedLines;
    private final UnitOfWork.Ways ways;
    private volatile Connections connections;
    private volatile PoolTimes times = PoolTimes.NONE;
    private volatile boolean closing;

    private Database(Vertx vertx, DatabaseOptions options, Timers timers) {
        this.vertx = vertx;
        this.options = options;
        this.timers = timers;
        this.connections = connections();
        this.abandonedPools = new AbandonedConnections(timers, ABANDONED_POOLS * options.poolSize());
        // Each pool has a line of its own, on which statements are cancelled.
        this.abandonedLines = new AbandonedConnections(timers, ABANDONED_LINES + ABANDONED_POOLS);
        Heartbeat heartbeat = new Heartbeat(
                timers, () -> pool(1, 1, LINE_IDLE_SECONDS), () -> abandonedLines.add(1), this::renewConnections);
        this.ways = new UnitOfWork.Ways(() -> connections, heartbeat, timers, () -> times);
    }

    /** Makes the pool, and a line beside it that tells whether the server lives; connections open when needed. */
    public static Database open(Vertx vertx, DatabaseOptions options, Timers timers) {
        return new Database(vertx, options, timers);
    }

    private Connections connections() {
        return new Connections(
                pool(options.poolSize(), options.poolSize(), POOL_IDLE_SECONDS),
                new PoolQueue(options.poolSize(), options.maxWaiting()),
                new StatementCancels(pool(1, options.poolSize(), LINE_IDLE_SECONDS), timers));
    }

    private Pool pool(int size, int mostWaiting, int idleSeconds) {
        PoolOptions bounds = new PoolOptions()
                .setMaxSize(size)
                // Nobody waits here but for a connection that is being opened or just given back.
                .setMaxWaitQueueSize(mostWaiting)
                .setConnectionTimeout(options.connectTimeoutMillis())
                .setConnectionTimeoutUnit(TimeUnit.MILLISECONDS)
                .setIdleTimeout(4)
                .setIdleTimeoutUnit(TimeUnit.MINUTES);
        NetClientOptions net = new NetClientOptions()
                .setConnectTimeout(options.connectTimeoutMillis())
                .setTcpKeepAlive(true)
                .setIdleTimeout(idleSeconds)
                .setIdleTimeoutUnit(TimeUnit.SECONDS);
        return PgBuilder.pool()
                .with(bounds)
                .with(net)
                .connectingTo(
                        connectOptions(options).addProperty("idle_session_timeout", Long.toString(SERVER_IDLE_MILLIS)))
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
                // All of them, however long: they are files, so there are few. The client by itself takes no long ones,
                // which are then parsed on each use, with a round trip of their own.
                .setPreparedStatementCacheSqlFilter(sql -> true)
                .addProperty("application_name", "recallgate")
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
        return connection(deadline, Plans.EACH_TIME, work);
    }

    private <T> Future<T> connection(Deadline deadline, Plans plans, Function<SqlConnection, Future<T>> work) {
        return run(deadline, work, new UnitOfWork.Style(false, plans))
                .recover(error -> Future.failedFuture(DatabaseFailures.of(error)));
    }

    /**
     * The same, and when {@code cancel} fires the statement that it is at is ended on the server, too. Whoever waits for
     * the answer is not told earlier: the answer comes when the connection may serve somebody else.
     *
     * @return fails with {@code cancelled} if the signal was in time
     */
    public <T> Future<T> connection(Deadline deadline, CancelSignal cancel, Function<SqlConnection, Future<T>> work) {
        return connection(deadline, cancel, Plans.EACH_TIME, work);
    }

    /**
     * The same, for statements whose plans may be kept.
     *
     * @return fails with {@code cancelled} if the signal was in time
     */
    public <T> Future<T> connection(
            Deadline deadline, CancelSignal cancel, Plans plans, Function<SqlConnection, Future<T>> work) {
        return connection(deadline, plans, connection -> connections.cancels().run(connection, cancel, work));
    }

    /**
     * The same in a transaction that changes nothing, for a cursor and for settings of its own, and that is rolled back in
     * any case: only when no signal can come any more, since that would end the rolling back.
     *
     * @return fails with {@code cancelled} if the signal was in time
     */
    public <T> Future<T> snapshot(Deadline deadline, CancelSignal cancel, Function<SqlConnection, Future<T>> work) {
        return connection(deadline, connection -> connections.cancels().runInSnapshot(connection, cancel, work));
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
        Promise<Void> answer = UnitOfWork.promise(vertx, ways.timers(), deadline);
        ways.heartbeat().ask().onComplete(asked -> {
            if (asked.succeeded()) {
                answer.tryComplete();
            } else {
                answer.tryFail(asked.cause());
            }
        });
        return answer.future();
    }

    /**
     * Connections that were closed while the server answered nothing on them, and that it may not have let go of yet: at
     * most three times the pool's size, and 23 that asked beside it. Each counts for six minutes.
     */
    public int abandonedConnections() {
        return abandonedPools.count() + abandonedLines.count();
    }

    /** Shows its connections, those that were abandoned, who waits for one, and how long callers wait and have one. */
    public Database measuredBy(MeterRegistry meters) {
        times = PoolTimes.of(meters);
        RecallMetric.DATABASE_CONNECTIONS.gauge(meters, this, all -> all.inUse(), "in-use");
        RecallMetric.DATABASE_CONNECTIONS.gauge(
                meters, this, all -> Math.max(0, all.connections.pool().size() - all.inUse()), "idle");
        RecallMetric.DATABASE_WAITING.gauge(
                meters, this, all -> all.connections.queue().waiting());
        RecallMetric.CONNECTIONS_ABANDONED.gauge(meters, this, Database::abandonedConnections);
        return this;
    }

    private int inUse() {
        return connections.queue().atOnce();
    }

    /** Closes the pool once; units of work that come later fail with {@code shutting-down}. Idempotent. */
    public Future<Void> close() {
        Connections open;
        synchronized (this) {
            if (closing) {
                return Future.succeededFuture();
            }
            closing = true;
            open = connections;
        }
        abandonedPools.close();
        abandonedLines.close();
        return ways.heartbeat().close().eventually(open::close);
    }

    /**
     * Only a new connection is answered: those of the pool hang, with units on them whose callers were all refused, and
     * would be given up only after minutes. The old ones are closed first, so that there are never twice as many.
     *
     * @return false if nothing was done, since the server may hold too many already
     */
    private Future<Boolean> renewConnections() {
        Connections old = connections;
        // A second time: they had until the line was given up and another one answered.
        Future<Void> closed = Future.succeededFuture();
        if (!old.isAbandoned()) {
            int open = old.pool().size();
            if (!abandonedPools.add(open)) {
                LOG.warn("{} connections that are not answered wait for others to end", open);
                return Future.succeededFuture(false);
            }
            LOG.warn("only a new connection is answered: {} that were open are given up", open);
            abandonedLines.add(old.cancels().size());
            old.abandon();
            closed = old.close();
        }
        return closed.onFailure(error -> LOG.debug("a silent pool could not be closed", error))
                .transform(ignored -> Future.succeededFuture(replace(old)));
    }

    private synchronized boolean replace(Connections old) {
        if (closing || connections != old) {
            return !closing;
        }
        connections = connections();
        return true;
    }

    private <T> Future<T> attempt(Deadline deadline, Function<SqlConnection, Future<T>> work, int run) {
        return run(deadline, work, new UnitOfWork.Style(true, Plans.EACH_TIME))
                .recover(error -> DatabaseFailures.isRace(error) && run < MAX_RUNS && !deadline.isPassed()
                        ? attempt(deadline, work, run + 1)
                        : Future.failedFuture(DatabaseFailures.of(error)));
    }

    private <T> Future<T> run(Deadline deadline, Function<SqlConnection, Future<T>> work, UnitOfWork.Style style) {
        if (closing) {
            return Future.failedFuture(new FailureException(FailureCode.SHUTTING_DOWN, "the database is closing"));
        }
        if (deadline.isPassed()) {
            return Future.failedFuture(DatabaseFailures.deadlineExceeded());
        }
        if (ways.heartbeat().isSilent()) {
            return Future.failedFuture(DatabaseFailures.silent());
        }
        return new UnitOfWork<>(vertx, ways, deadline, work, style).run();
    }
}
