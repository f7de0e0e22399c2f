package io.recallgate.recall.database;

import io.recallgate.failure.FailureException;
import io.recallgate.time.Deadline;
import io.recallgate.time.Timers;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.internal.ContextInternal;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Transaction;
import java.util.function.Function;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One use of a connection. The promise is the token for which the result and the deadline race; whoever loses does
 * nothing, except that a transaction whose caller has left is rolled back.
 */
final class UnitOfWork<T> {

    /**
     * The server keeps a statement's bound until the next one is set, and holds the setting itself to it: after one of a
     * millisecond the next unit of work on the connection could fail at once. The caller does not wait for it, it is
     * answered by its own timer.
     */
    private static final long MIN_STATEMENT_MILLIS = 50;

    private static final Logger LOG = LoggerFactory.getLogger(UnitOfWork.class);

    private final Promise<T> promise;
    private final Deadline deadline;
    private final Function<SqlConnection, Future<T>> work;
    private final Style style;
    private final Ways ways;
    /** What the caller had left when it asked, and when it got a connection: its deadline is the clock. */
    private final long askedNanos;

    private long begunNanos;

    /**
     * How every unit of one database gets at it.
     *
     * @param connections those in use now
     * @param times told how long it takes
     */
    record Ways(Supplier<Connections> connections, Heartbeat heartbeat, Timers timers, Supplier<PoolTimes> times) {}

    /** Whether it is one transaction, and how its statements are planned. */
    record Style(boolean transaction, Plans plans) {}

    UnitOfWork(Vertx vertx, Ways ways, Deadline deadline, Function<SqlConnection, Future<T>> work, Style style) {
        this.promise = promise(vertx, ways.timers(), deadline);
        this.ways = ways;
        this.deadline = deadline;
        this.work = work;
        this.style = style;
        this.askedNanos = deadline.remainingNanos();
    }

    /**
     * What somebody waits for until a deadline, and then fails with it. On the caller's context, if it has one: its
     * handlers then never run concurrently with its other code.
     */
    static <T> Promise<T> promise(Vertx vertx, Timers timers, Deadline deadline) {
        Promise<T> promise = Vertx.currentContext() == null
                ? Promise.promise()
                : ((ContextInternal) vertx.getOrCreateContext()).promise();
        Timers.Timer timer =
                timers.schedule(deadline.remainingNanos(), () -> promise.tryFail(DatabaseFailures.deadlineExceeded()));
        promise.future().onComplete(ignored -> timer.cancel());
        return promise;
    }

    Future<T> run() {
        ways.heartbeat().begun(this);
        // Not before: whatever is abandoned after this unit has begun, it is refused with all others first.
        Connections mine = ways.connections().get();
        Context caller = Vertx.currentContext();
        // The work of whoever had to wait still runs where its caller runs, and not where the turn before ended.
        Runnable turn = () -> {
            if (caller == null || caller == Vertx.currentContext()) {
                borrow(mine);
            } else {
                caller.runOnContext(ignored -> borrow(mine));
            }
        };
        Future<T> result = promise.future().onComplete(ignored -> {
            ways.heartbeat().left(this);
            if (mine.queue().withdraw(turn)) {
                ways.heartbeat().ended();
            }
        });
        if (isSettled()) {
            ways.heartbeat().ended();
        } else if (!mine.queue().take(turn)) {
            ways.heartbeat().ended();
            ways.times().get().refused();
            promise.tryFail(DatabaseFailures.tooManyWait());
        }
        return result;
    }

    private void borrow(Connections mine) {
        Future<T> used = isSettled()
                ? Future.failedFuture(DatabaseFailures.deadlineExceeded())
                : mine.pool().getConnection().compose(connection -> use(mine, connection));
        used.onComplete(outcome -> {
            ways.heartbeat().ended();
            mine.queue().over();
            if (outcome.succeeded()) {
                promise.tryComplete(outcome.result());
            } else {
                promise.tryFail(outcome.cause());
            }
        });
    }

    /** Answers the caller before the unit is over; the unit goes on until its statements have settled. */
    void refuse(FailureException why) {
        promise.tryFail(why);
    }

    private Future<T> use(Connections mine, SqlConnection connection) {
        begunNanos = deadline.remainingNanos();
        ways.times().get().waited(askedNanos - begunNanos);
        if (isSettled()) {
            release(connection);
            return Future.failedFuture(DatabaseFailures.deadlineExceeded());
        }
        long timeoutMillis =
                Math.max(MIN_STATEMENT_MILLIS, Math.min(deadline.remainingMillis(), Database.MAX_STATEMENT_MILLIS));
        // Not awaited: it travels ahead of the statements on the same connection, and costs no round trip.
        Future<?> bounded = connection
                .query("set statement_timeout = " + timeoutMillis + "; "
                        + style.plans().setting())
                .execute();
        Future<T> done = style.transaction()
                ? connection.begin().compose(begun -> inTransaction(connection, begun))
                : call(connection);
        return done.compose(value -> bounded.map(value)).onComplete(outcome -> {
            ways.times().get().used(begunNanos - deadline.remainingNanos());
            if (!mine.isAbandoned()) {
                ways.heartbeat().heard(outcome.cause());
            }
            release(connection);
        });
    }

    private Future<T> inTransaction(SqlConnection connection, Transaction begun) {
        return call(connection)
                .compose(
                        value -> isSettled()
                                ? rollback(begun, DatabaseFailures.deadlineExceeded())
                                : begun.commit().map(value),
                        error -> rollback(begun, error));
    }

    private Future<T> rollback(Transaction begun, Throwable why) {
        // The client has already rolled back after a failed statement and then answers with a failure.
        return begun.rollback().transform(ignored -> Future.failedFuture(why));
    }

    private Future<T> call(SqlConnection connection) {
        try {
            return work.apply(connection);
        } catch (RuntimeException e) {
            return Future.failedFuture(e);
        }
    }

    private void release(SqlConnection connection) {
        connection.close().onFailure(error -> LOG.debug("a connection could not be given back", error));
    }

    private boolean isSettled() {
        return promise.future().isComplete();
    }
}
