package io.recallgate.recall.database;

import static org.assertj.core.api.Assertions.assertThat;

import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import io.recallgate.recall.Await;
import io.recallgate.recall.TestDatabase;
import io.recallgate.time.CancelCause;
import io.recallgate.time.CancelSignal;
import io.recallgate.time.Deadline;
import io.recallgate.time.SystemClock;
import io.recallgate.time.VertxTimers;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.pgclient.PgBuilder;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.PoolOptions;
import io.vertx.sqlclient.SqlConnection;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Against a real server: only it can tell whose statement a signal meets. */
class StatementCancelsTest {

    /** How late cancellations come at most; it follows what a statement takes here, so that about half are in time. */
    private static final int FIRST_SPREAD_MICROS = 6_000;

    private static Vertx vertx;
    private static TestDatabase server;

    @BeforeAll
    static void start() {
        vertx = Vertx.vertx();
        server = TestDatabase.empty();
    }

    @AfterAll
    static void stop() {
        Await.result(vertx.close());
        server.close();
    }

    @Test
    void aStatementWhoseCallerLeftIsGoneFromTheServer() {
        Database database = database(1);
        CancelSignal cancel = new CancelSignal();
        Future<?> left = database.connection(
                in(60_000), cancel, c -> c.query("select pg_sleep(60)").execute());
        Await.until("it runs", () -> sleeping() == 1);
        cancel.cancel(CancelCause.DISCONNECTED);
        Await.failure(left, FailureCode.CANCELLED);
        assertThat(sleeping()).isZero();
        assertThat(seven(database)).isEqualTo(7);
        Await.result(database.close());
    }

    @Test
    void whoLeavesBeforeItsTurnRunsNothing() {
        Database database = database(1);
        CancelSignal cancel = new CancelSignal();
        Promise<Void> held = Promise.promise();
        Future<Void> first = database.connection(in(60_000), c -> held.future());
        Future<?> second = database.connection(in(60_000), cancel, c -> {
            throw new IllegalStateException("nobody waits for this");
        });
        cancel.cancel(CancelCause.CALLER);
        held.complete();
        Await.result(first);
        Await.failure(second, FailureCode.CANCELLED);
        Await.result(database.close());
    }

    @Test
    void theNextStatementOfTheConnectionIsNeverHit() throws InterruptedException {
        Database database = database(1);
        Random random = new Random(7);
        int cancelled = 0;
        int finished = 0;
        int spread = FIRST_SPREAD_MICROS;
        for (int round = 0; round < 400; round++) {
            CancelSignal cancel = new CancelSignal();
            String sleep = "select pg_sleep(" + random.nextInt(4) / 1_000.0 + ")";
            Future<?> left =
                    database.connection(in(60_000), cancel, c -> c.query(sleep).execute());
            // Anywhere from before its statement has begun to after it has ended.
            TimeUnit.MICROSECONDS.sleep(random.nextInt(spread));
            cancel.cancel(CancelCause.DISCONNECTED);
            // Queued behind it, on the same connection: begins the moment that it is given back.
            Future<?> next = database.connection(
                    in(60_000), c -> c.query("select pg_sleep(0.003)").execute());
            try {
                Await.result(left);
                finished++;
                spread = Math.max(FIRST_SPREAD_MICROS / 10, spread * 9 / 10);
            } catch (FailureException e) {
                cancelled++;
                spread = Math.min(100 * FIRST_SPREAD_MICROS, spread * 10 / 9);
            }
            assertThat(Await.settled(next).cause()).as("round " + round).isNull();
        }
        assertThat(cancelled).as("cancelled").isPositive();
        assertThat(finished).as("finished before").isPositive();
        Await.result(database.close());
    }

    @Test
    void norIsWhatComesAfterATransactionThatWasCancelled() throws InterruptedException {
        Database database = database(1);
        Random random = new Random(8);
        int cancelled = 0;
        int finished = 0;
        int spread = FIRST_SPREAD_MICROS;
        for (int round = 0; round < 400; round++) {
            CancelSignal cancel = new CancelSignal();
            String sleep = "select pg_sleep(" + random.nextInt(4) / 1_000.0 + ")";
            Future<?> left = database.snapshot(in(60_000), cancel, c -> c.query("set local enable_sort = off")
                    .execute()
                    .compose(ignored -> c.query(sleep).execute()));
            // Anywhere from before it has begun to after it was rolled back.
            TimeUnit.MICROSECONDS.sleep(random.nextInt(spread));
            cancel.cancel(CancelCause.DISCONNECTED);
            // Queued behind it, on the same connection: in no transaction, with no setting of it, and never hit.
            Future<String> next = database.connection(in(60_000), c -> c.query("select current_setting('enable_sort')"
                            + " || (pg_current_xact_id_if_assigned() is null) || pg_sleep(0.003)::text")
                    .execute()
                    .map(rows -> rows.iterator().next().getString(0)));
            try {
                Await.result(left);
                finished++;
                spread = Math.max(FIRST_SPREAD_MICROS / 10, spread * 9 / 10);
            } catch (FailureException e) {
                assertThat(e.code()).as("round " + round).isEqualTo(FailureCode.CANCELLED);
                cancelled++;
                spread = Math.min(100 * FIRST_SPREAD_MICROS, spread * 10 / 9);
            }
            assertThat(Await.settled(next).cause()).as("round " + round).isNull();
            assertThat(next.result()).as("round " + round).isEqualTo("ontrue");
        }
        assertThat(cancelled).as("cancelled").isPositive();
        assertThat(finished).as("finished before").isPositive();
        Await.result(database.close());
    }

    @Test
    void aTransactionThatOnlyReadsIsOverAfterAFailureOfItsOwnToo() {
        Database database = database(1);
        Await.failure(
                database.snapshot(in(60_000), new CancelSignal(), c -> c.query("create table t (id integer)")
                        .execute()),
                FailureCode.DATABASE_UNAVAILABLE);
        assertThat(seven(database)).isEqualTo(7);
        Await.result(database.close());
    }

    @Test
    void aSignalThatComesBeforeTheStatementIsFollowedByAnother() {
        Database database = database(1);
        CancelSignal cancel = new CancelSignal();
        Promise<Void> begin = Promise.promise();
        Future<?> left = database.connection(in(60_000), cancel, c -> c.query("select 1")
                .execute()
                .compose(ignored -> begin.future())
                .compose(ignored -> c.query("select pg_sleep(60)").execute()));
        // The connection is idle now, and a signal finds nothing to end.
        Await.result(Future.future(done -> vertx.setTimer(100, ignored -> done.complete())));
        cancel.cancel(CancelCause.DISCONNECTED);
        Await.result(Future.future(done -> vertx.setTimer(20, ignored -> done.complete())));
        begin.complete();
        Await.failure(left, FailureCode.CANCELLED);
        Await.result(database.close());
    }

    @ParameterizedTest
    @ValueSource(strings = {"select pg_sleep(0.2)", "select 1 / 0"})
    void aConnectionForWhichASignalMayStillComeIsEnded(String statement) {
        endedAfter((cancels, connection, cancel) ->
                cancels.run(connection, cancel, c -> c.query(statement).execute()));
        // In a transaction that has failed nothing runs any more, not even what ends the connection.
        endedAfter((cancels, connection, cancel) -> cancels.runInSnapshot(
                connection, cancel, c -> c.query(statement).execute()));
    }

    /** Runs something on a connection. */
    private interface Use {
        Future<?> of(StatementCancels cancels, SqlConnection connection, CancelSignal cancel);
    }

    private static void endedAfter(Use use) {
        Pool pool = PgBuilder.pool()
                .with(new PoolOptions().setMaxSize(1))
                .connectingTo(Database.connectOptions(server.options()))
                .using(vertx)
                .build();
        // Nobody answers there: whether and when a signal was sent is not known.
        Pool nowhere = PgBuilder.pool()
                .with(new PoolOptions().setMaxSize(1).setConnectionTimeout(1))
                .connectingTo(Database.connectOptions(server.options()).setPort(1))
                .using(vertx)
                .build();
        StatementCancels cancels = new StatementCancels(nowhere, new VertxTimers(vertx));
        int before = processId(pool);
        assertThat(processId(pool)).isEqualTo(before);
        CancelSignal cancel = new CancelSignal();
        Future<Void> used = pool.getConnection().compose(connection -> {
            Future<?> done = use.of(cancels, connection, cancel);
            cancel.cancel(CancelCause.DISCONNECTED);
            // It may have been found closed by then, and then cannot be given back.
            return done.transform(ignored -> connection.close().otherwiseEmpty())
                    .mapEmpty();
        });
        Await.result(used);
        assertThat(processId(pool)).isNotEqualTo(before);
        Await.result(pool.close());
        Await.result(cancels.close());
    }

    private static int processId(Pool pool) {
        return Await.result(pool.query("select pg_backend_pid()").execute())
                .iterator()
                .next()
                .getInteger(0);
    }

    private static int seven(Database database) {
        return Await.result(database.connection(
                        in(60_000), (SqlConnection c) -> c.query("select 7").execute()))
                .iterator()
                .next()
                .getInteger(0);
    }

    private static int sleeping() {
        return Integer.parseInt(server.queryText("select count(*) from pg_stat_activity"
                + " where state = 'active' and query like 'select pg_sleep(60)%'"));
    }

    private static Database database(int connections) {
        return Database.open(vertx, server.options().withPool(connections, 64), new VertxTimers(vertx));
    }

    private static Deadline in(long millis) {
        return Deadline.afterMillis(SystemClock.INSTANCE, millis);
    }
}
