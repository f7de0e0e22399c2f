package io.recallgate.recall.database;

import io.recallgate.time.CancelSignal;
import io.recallgate.time.Timers;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.pgclient.PgConnection;
import io.vertx.pgclient.PgException;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Tuple;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends statements on the server whose callers have left. It asks on a line of its own: the answer tells that the signal
 * has been sent, and until it has come the statement's connection is not given back. A signal finds the connection at the
 * statement that it is meant for, or idle, which ignores it; the next borrower's statement comes only later. Where no
 * answer comes, nobody knows when the signal will: then the connection is ended. Any thread.
 */
final class StatementCancels {

    private static final Logger LOG = LoggerFactory.getLogger(StatementCancels.class);

    private static final String CANCEL = Statements.load("cancel/cancel");
    private static final String END = Statements.load("cancel/end");
    private static final String BEGIN = "begin read only";
    private static final String ROLLBACK = "rollback";

    /** A signal may come before its statement has begun: then another is sent, this long after the first, and so on. */
    static final long AGAIN_MILLIS = 50;

    /** Each waits twice as long as the one before: in all a second and a half. After that the statement's own limit counts. */
    private static final int MAX_SIGNALS = 6;

    /** Signals take a fraction of a millisecond; a line that does not answer for so long is not trusted any more. */
    static final long ANSWER_MILLIS = 2_000;

    /** A late signal may meet the very statement that ends the connection. */
    private static final int MAX_ENDS = 3;

    private final Pool line;
    private final Timers timers;

    /** @param line a pool of one connection, to the same server and as the same user */
    StatementCancels(Pool line, Timers timers) {
        this.line = line;
        this.timers = timers;
    }

    /**
     * Runs {@code work}, and ends the statement it is at when the signal fires.
     *
     * @param work one statement after the other, outside a transaction
     * @return completes when the connection may serve somebody else, or has been ended
     */
    <T> Future<T> run(SqlConnection connection, CancelSignal cancel, Function<SqlConnection, Future<T>> work) {
        if (cancel.isCancelled()) {
            return Future.failedFuture(DatabaseFailures.cancelled());
        }
        Running running = new Running(connection);
        CancelSignal.Registration registration = cancel.onCancel(cause -> running.signal());
        Future<T> done;
        try {
            done = work.apply(connection);
        } catch (RuntimeException e) {
            done = Future.failedFuture(e);
        }
        return done.transform(outcome -> {
            registration.remove();
            return running.over().transform(signalled -> {
                if (cancel.isCancelled() && outcome.failed() && isCancelled(outcome.cause())) {
                    return Future.failedFuture(DatabaseFailures.cancelled().causedBy(outcome.cause()));
                }
                return outcome.succeeded()
                        ? Future.succeededFuture(outcome.result())
                        : Future.failedFuture(outcome.cause());
            });
        });
    }

    /**
     * The same in a transaction that only reads, and that is rolled back when no signal can come any more.
     *
     * @param work one statement after the other
     */
    <T> Future<T> runInSnapshot(
            SqlConnection connection, CancelSignal cancel, Function<SqlConnection, Future<T>> work) {
        if (cancel.isCancelled()) {
            return Future.failedFuture(DatabaseFailures.cancelled());
        }
        // Not awaited: what follows on the same connection fails if it does.
        Future<?> begun = connection.query(BEGIN).execute();
        return run(connection, cancel, work).transform(outcome -> rolledBack(connection, 1)
                .compose(ignored -> begun)
                .compose(ignored -> outcome.succeeded()
                        ? Future.succeededFuture(outcome.result())
                        : Future.failedFuture(outcome.cause())));
    }

    /** A connection that is closed has nothing to roll back, and cannot serve anybody else. */
    private static Future<Void> rolledBack(SqlConnection connection, int attempt) {
        return connection.query(ROLLBACK).execute().transform(done -> {
            if (done.failed() && done.cause() instanceof PgException error) {
                // The statement's time may be over at this very moment.
                return isCancelled(error) && attempt < MAX_ENDS
                        ? rolledBack(connection, attempt + 1)
                        : Future.failedFuture(error);
            }
            return Future.succeededFuture();
        });
    }

    private static boolean isCancelled(Throwable error) {
        return error instanceof PgException pg && "57014".equals(pg.getSqlState());
    }

    private static boolean isInFailedTransaction(Throwable error) {
        return error instanceof PgException pg && "25P02".equals(pg.getSqlState());
    }

    /** Connections of its own that are open: none or one. */
    int size() {
        return line.size();
    }

    Future<Void> close() {
        return line.close();
    }

    /** One connection with work on it. */
    private final class Running {

        private final SqlConnection connection;
        private final int processId;

        // All below is guarded by this.

        private boolean over;
        private int signals;
        private @Nullable Promise<Void> underWay;
        private boolean unknown;
        private Timers.@Nullable Timer again;

        private Running(SqlConnection connection) {
            this.connection = connection;
            this.processId = PgConnection.cast(connection).processId();
        }

        private void signal() {
            Promise<Void> mine;
            synchronized (this) {
                again = null;
                if (over || underWay != null || signals >= MAX_SIGNALS) {
                    return;
                }
                signals++;
                mine = underWay = Promise.promise();
            }
            Timers.Timer patience =
                    timers.schedule(TimeUnit.MILLISECONDS.toNanos(ANSWER_MILLIS), () -> answered(mine, false));
            line.preparedQuery(CANCEL).execute(Tuple.of(processId)).onComplete(answer -> {
                patience.cancel();
                if (answer.failed()) {
                    LOG.debug("a statement could not be cancelled", answer.cause());
                }
                answered(mine, answer.succeeded());
            });
        }

        private void answered(Promise<Void> which, boolean known) {
            synchronized (this) {
                if (underWay != which) {
                    return;
                }
                underWay = null;
                unknown |= !known;
                if (!over && known && signals < MAX_SIGNALS) {
                    again = timers.schedule(TimeUnit.MILLISECONDS.toNanos(AGAIN_MILLIS << (signals - 1)), this::signal);
                }
            }
            which.complete();
        }

        /** The work is done: completes when no signal can come any more. */
        private Future<Void> over() {
            Future<Void> last;
            synchronized (this) {
                over = true;
                if (again != null) {
                    again.cancel();
                    again = null;
                }
                last = underWay == null ? Future.succeededFuture() : underWay.future();
            }
            return last.compose(ignored -> isUnknown() ? end(1) : Future.succeededFuture());
        }

        private synchronized boolean isUnknown() {
            return unknown;
        }

        /**
         * The pool lets go of a connection that the server has ended, but only after whoever has borrowed it was told that
         * it is closed. Given back before, it would go to the next borrower: hence a turn later.
         */
        private Future<Void> end(int attempt) {
            Promise<Void> closed = Promise.promise();
            connection.closeHandler(ignored -> nextTurn(closed));
            return connection.query(END).execute().transform(ended -> {
                if (ended.failed() && isCancelled(ended.cause()) && attempt < MAX_ENDS) {
                    return end(attempt + 1);
                }
                if (ended.failed() && isInFailedTransaction(ended.cause()) && attempt < MAX_ENDS) {
                    return rolledBack(connection, 1).transform(ignored -> end(attempt + 1));
                }
                LOG.debug("a connection was ended, since a signal may still come for it", ended.cause());
                // The server answers in one way or another before it closes; any other failure says that it is closed.
                if (ended.failed() && !(ended.cause() instanceof PgException)) {
                    nextTurn(closed);
                }
                Timers.Timer patience = timers.schedule(TimeUnit.MILLISECONDS.toNanos(ANSWER_MILLIS), () -> {
                    if (closed.tryComplete()) {
                        LOG.warn("a connection that the server has ended is not seen to be closed");
                    }
                });
                return closed.future().onComplete(ignored -> patience.cancel());
            });
        }

        private void nextTurn(Promise<Void> closed) {
            Vertx.currentContext().runOnContext(ignored -> closed.tryComplete());
        }
    }
}
