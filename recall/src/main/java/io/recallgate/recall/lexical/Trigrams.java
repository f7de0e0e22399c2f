package io.recallgate.recall.lexical;

import io.recallgate.recall.database.Database;
import io.recallgate.recall.database.Statements;
import io.recallgate.recall.database.TroubleLog;
import io.recallgate.time.Clock;
import io.recallgate.time.Deadline;
import io.recallgate.time.Timers;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowIterator;
import io.vertx.sqlclient.SqlConnection;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The index that finds literal texts by three characters each, where the server has the extension {@code pg_trgm}. Made at
 * run time and outside every write, like that of vectors: a server without the extension, or a role that may not create
 * it, has none, and literal texts are then looked for by words and by reading. An index that a crash left invalid is
 * dropped and built anew. Thread-safe.
 */
public final class Trigrams {

    private static final Logger LOG = LoggerFactory.getLogger(Trigrams.class);

    private static final String EXTENSION = Statements.load("trigram/extension");
    private static final String CREATE_EXTENSION = Statements.load("trigram/create-extension");
    private static final String STATE = Statements.load("trigram/index-state");
    private static final String TRY_BUILD = Statements.load("trigram/try-build");
    private static final String END_BUILD = Statements.load("trigram/end-build");
    private static final String NO_TIMEOUT = Statements.load("trigram/no-timeout");
    private static final String DROP = Statements.load("trigram/drop-index");
    private static final String CREATE = Statements.load("trigram/create-index");

    private static final long BUILD_MILLIS = TimeUnit.HOURS.toMillis(2);

    /** Until it is looked again whether the index can be made, or another node has made it. */
    static final long RETRY_MILLIS = 60_000;

    private final Database database;
    private final Clock clock;
    private final Timers timers;
    private final TroubleLog troubles;

    // All below is guarded by this.

    private State state = State.PENDING;
    private boolean stopped;
    private Timers.@Nullable Timer timer;
    private @Nullable Promise<Void> running;

    /** How literal texts are looked for. */
    public enum State {
        /** It is not known yet whether there can be an index. */
        PENDING,
        /** The index is being built, here or on another node. */
        BUILDING,
        /** By the index. */
        READY,
        /** The server does not have the extension. */
        NO_EXTENSION,
        /** The extension or the index cannot be made; the log says why. */
        FAILED;

        /** As users read it. */
        public String wireName() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }
    }

    /** One that does nothing before {@link #start()}. */
    public Trigrams(Database database, Clock clock, Timers timers) {
        this.database = database;
        this.clock = clock;
        this.timers = timers;
        this.troubles = new TroubleLog(LOG, clock, "the trigram index can be used");
    }

    /** How literal texts are looked for now. */
    public synchronized State state() {
        return state;
    }

    boolean usable() {
        return state() == State.READY;
    }

    /** Sees to it that there will be an index, if there can be one. */
    public void start() {
        Promise<Void> mine;
        synchronized (this) {
            timer = null;
            if (stopped || running != null) {
                return;
            }
            mine = running = Promise.promise();
        }
        ensure().onComplete(done -> {
            State next = done.succeeded() ? done.result() : State.FAILED;
            if (done.failed()) {
                troubles.trouble("there is no trigram index; literal texts are looked for without it", done.cause());
            } else if (next == State.READY) {
                troubles.over();
            }
            settled(next);
            mine.complete();
        });
    }

    /** Looks no more; completes when what runs has ended, which for a build is when its connection is closed. */
    public synchronized Future<Void> stop() {
        stopped = true;
        if (timer != null) {
            timer.cancel();
            timer = null;
        }
        // A build goes on for minutes; closing the pool ends it, and the next start begins anew.
        return running == null || state == State.BUILDING ? Future.succeededFuture() : running.future();
    }

    private synchronized void settled(State next) {
        state = next;
        running = null;
        if (!stopped && next != State.READY && next != State.NO_EXTENSION) {
            timer = timers.schedule(TimeUnit.MILLISECONDS.toNanos(RETRY_MILLIS), this::start);
        }
    }

    private synchronized void building() {
        state = State.BUILDING;
    }

    private Future<State> ensure() {
        return database.connection(Deadline.afterMillis(clock, BUILD_MILLIS), connection -> valid(connection)
                .compose(valid -> valid
                        ? Future.succeededFuture(State.READY)
                        : connection.query(EXTENSION).execute().compose(rows -> {
                            if (rows.size() == 0) {
                                LOG.info(
                                        "the server has no pg_trgm: literal texts are looked for by words and by reading");
                                return Future.succeededFuture(State.NO_EXTENSION);
                            }
                            return flag(connection, TRY_BUILD)
                                    .compose(mine -> mine ? build(connection) : Future.succeededFuture(State.BUILDING));
                        })));
    }

    private Future<State> build(SqlConnection connection) {
        building();
        LOG.info("building the trigram index");
        return run(connection, NO_TIMEOUT)
                // Whoever held the lock is gone, so an index that is not valid is a leftover.
                .compose(ignored -> valid(connection))
                .compose(valid -> valid
                        ? Future.<Void>succeededFuture()
                        : run(connection, CREATE_EXTENSION)
                                .compose(ignored -> run(connection, DROP))
                                .compose(ignored -> connection.query(EXTENSION).execute())
                                // Its operators need not be on the search path. The server has quoted the name.
                                .map(rows -> rows.iterator().next().getString(1))
                                .compose(schema -> run(connection, CREATE.replace("{schema}", schema))))
                .onSuccess(ignored -> LOG.info("the trigram index is ready"))
                .transform(outcome -> run(connection, END_BUILD)
                        .transform(ignored -> outcome.succeeded()
                                ? Future.succeededFuture(State.READY)
                                : Future.failedFuture(outcome.cause())));
    }

    private static Future<Boolean> valid(SqlConnection connection) {
        return connection.query(STATE).execute().map(rows -> {
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
