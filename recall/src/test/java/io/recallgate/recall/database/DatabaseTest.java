package io.recallgate.recall.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import io.recallgate.recall.Await;
import io.recallgate.recall.TestDatabase;
import io.recallgate.recall.schema.Schema;
import io.recallgate.time.Deadline;
import io.recallgate.time.FakeClock;
import io.recallgate.time.SystemClock;
import io.recallgate.time.VertxTimers;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.internal.VertxInternal;
import io.vertx.core.net.NetServer;
import io.vertx.sqlclient.Tuple;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DatabaseTest {

    private static Vertx vertx;
    private static TestDatabase testDatabase;

    @BeforeAll
    static void open() {
        vertx = Vertx.vertx();
        testDatabase = TestDatabase.empty();
        testDatabase.execute("create table t (id int primary key)");
    }

    @AfterAll
    static void close() {
        Await.result(vertx.close());
        testDatabase.close();
    }

    @Test
    void theServerKeepsTheDeadlineAndTheNextBorrowerIsUnharmed() {
        Database database = database(1, 8);
        Await.failure(
                database.connection(
                        in(200), c -> c.query("select pg_sleep(600)").execute()),
                FailureCode.DEADLINE_EXCEEDED);
        // The one connection is free again long before the ten minutes, and in order.
        assertThat(Await.result(database.connection(
                                in(60_000), c -> c.query("select 7").execute()))
                        .iterator()
                        .next()
                        .getInteger(0))
                .isEqualTo(7);
        Await.result(database.close());
    }

    @Test
    void metricsTellWhoHasAConnectionWhoWaitsForOneAndHowLong() {
        SimpleMeterRegistry meters = new SimpleMeterRegistry();
        Database database = database(1, 1).measuredBy(meters);
        Promise<Void> hold = Promise.promise();
        var holding = database.connection(in(60_000), c -> hold.future());
        var waiting = database.connection(in(60_000), c -> c.query("select 1").execute());
        Await.failure(database.connection(in(60_000), c -> c.query("select 1").execute()), FailureCode.OVERLOADED);

        assertThat(gauge(meters, "recallgate.database.waiting")).isEqualTo(1);
        assertThat(meters.get("recallgate.database.connections")
                        .tag("state", "in-use")
                        .gauge()
                        .value())
                .isEqualTo(1);
        hold.complete();
        Await.result(holding);
        Await.result(waiting);

        assertThat(gauge(meters, "recallgate.database.waiting")).isZero();
        assertThat(meters.get("recallgate.database.refused").counter().count()).isEqualTo(1);
        Await.until(
                "both are counted",
                () -> meters.get("recallgate.database.use.duration").timer().count() == 2);
        assertThat(meters.get("recallgate.database.wait.duration").timer().count())
                .isEqualTo(2);
        Await.until(
                "the connection is idle",
                () -> meters.get("recallgate.database.connections")
                                .tag("state", "idle")
                                .gauge()
                                .value()
                        == 1);
        Await.result(database.close());
    }

    private static double gauge(SimpleMeterRegistry meters, String name) {
        return meters.get(name).gauge().value();
    }

    @Test
    void noticesAboutWhatExistsAlreadyAreNotSent() {
        Database database = database(1, 8);
        assertThat(Await.result(database.connection(in(60_000), c -> c.query("show client_min_messages")
                                .execute()))
                        .iterator()
                        .next()
                        .getString(0))
                .isEqualTo("warning");
        Await.result(database.close());
    }

    @Test
    void evenTheLongestStatementIsParsedOnlyOnce() {
        Database database = database(1, 8);
        String statement = "select count(*) from pg_prepared_statements where statement like '%" + "long".repeat(1_000)
                + "%' and $1::integer = 1";
        List<Long> prepared = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            prepared.add(Await.result(database.connection(
                            in(60_000), c -> c.preparedQuery(statement).execute(Tuple.of(1))))
                    .iterator()
                    .next()
                    .getLong(0));
        }
        assertThat(prepared).containsExactly(1L, 1L, 1L);
        Await.result(database.close());
    }

    @Test
    void aTransactionWhoseCallerLeftIsRolledBack() {
        FakeClock clock = new FakeClock();
        Database database = Database.open(vertx, testDatabase.options(), clock);
        Promise<Void> inside = Promise.promise();
        Promise<Void> goOn = Promise.promise();
        Future<Void> result = database.transaction(
                Deadline.afterMillis(clock, 400),
                c -> c.query("insert into t values (1)").execute().compose(ignored -> {
                    inside.complete();
                    return goOn.future();
                }));
        Await.result(inside.future());
        clock.advanceMillis(400);
        Await.failure(result, FailureCode.DEADLINE_EXCEEDED);
        goOn.complete();
        Await.result(database.close());

        assertThat(testDatabase.queryText("select count(*) from t where id = 1"))
                .isEqualTo("0");
        assertThat(clock.pending()).isZero();
    }

    @Test
    void waitingForAConnectionIsBounded() {
        Database database = database(1, 2);
        Promise<Void> hold = Promise.promise();
        List<Future<?>> all = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            all.add(database.connection(in(60_000), c -> hold.future()));
        }
        hold.complete();
        int refused = 0;
        for (Future<?> each : all) {
            try {
                Await.result(each);
            } catch (FailureException e) {
                assertThat(e.code()).isEqualTo(FailureCode.OVERLOADED);
                assertThat(e.retryAfter()).isNotNull();
                refused++;
            }
        }
        assertThat(refused).isEqualTo(5);
        Await.result(database.close());
    }

    @Test
    void aCallerWaitsForAConnectionAsLongAsItsDeadlineAllowsAndNotAsLongAsOpeningOneMayTake() {
        Database database = Database.open(vertx, openedWithin(testDatabase.options(), 1_000), new VertxTimers(vertx));
        Await.until("a connection is open, which may take long in a cold process", () -> {
            Future<?> first =
                    database.connection(in(60_000), c -> c.query("select 1").execute());
            return Await.settled(first).succeeded();
        });
        Future<?> slow = database.connection(
                in(60_000), c -> c.query("select pg_sleep(1.5)").execute());

        Await.result(database.connection(in(60_000), c -> c.query("select 1").execute()));

        Await.result(slow);
        Await.result(database.close());
    }

    @Test
    void aServerThatTakesConnectionsAndSaysNothingIsUnavailable() {
        NetServer mute = vertx.createNetServer().connectHandler(socket -> socket.handler(ignored -> {}));
        int port = Await.result(mute.listen(0, "127.0.0.1")).actualPort();
        DatabaseOptions there = DatabaseOptions.parse("postgresql://u:p@127.0.0.1:" + port + "/d?sslmode=disable");
        Database database = Database.open(vertx, openedWithin(there, 300), new VertxTimers(vertx));

        Await.failure(
                database.connection(in(60_000), c -> c.query("select 1").execute()), FailureCode.DATABASE_UNAVAILABLE);

        Await.result(database.close());
        Await.result(mute.close());
    }

    @Test
    void theWorkOfWhoeverWaitedRunsOnTheContextOfItsCaller() {
        Database database = database(1, 2);
        Promise<Void> goOn = Promise.promise();
        Future<Void> first = database.connection(in(60_000), c -> goOn.future());
        Context mine = ((VertxInternal) vertx).createEventLoopContext();
        Promise<Context> worked = Promise.promise();
        mine.runOnContext(ignored -> database.connection(in(60_000), c -> {
                    worked.complete(Vertx.currentContext());
                    return Future.succeededFuture();
                })
                .onFailure(worked::tryFail));

        mine.runOnContext(ignored -> goOn.complete());

        assertThat(Await.result(worked.future())).isSameAs(mine);
        Await.result(first);
        Await.result(database.close());
    }

    @Test
    void aDeadlockVictimRunsAgain() {
        testDatabase.execute("insert into t values (10), (11)");
        Database database = database(4, 8);
        AtomicInteger runs = new AtomicInteger();
        Promise<Void> bothHaveOne = Promise.promise();
        Promise<Void> oneIsDone = Promise.promise();
        AtomicInteger first = new AtomicInteger();
        List<Future<Object>> both = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            int mine = 10 + i;
            int other = 11 - i;
            both.add(database.transaction(in(60_000), c -> {
                        // The victim begins again when the other is done: before, it could take its first row back in
                        // time
                        // for another deadlock.
                        Future<Void> begin = runs.incrementAndGet() > 2 ? oneIsDone.future() : Future.succeededFuture();
                        return begin.compose(ignored -> c.query("select id from t where id = " + mine + " for update")
                                        .execute())
                                .compose(ignored -> {
                                    if (first.incrementAndGet() == 2) {
                                        bothHaveOne.tryComplete();
                                    }
                                    return bothHaveOne.future();
                                })
                                .compose(ignored -> c.query("select id from t where id = " + other + " for update")
                                        .execute())
                                .<Object>map(ignored -> "done");
                    })
                    .onSuccess(ignored -> oneIsDone.tryComplete()));
        }
        both.forEach(each -> assertThat(Await.result(each)).isEqualTo("done"));
        assertThat(runs.get()).isEqualTo(3);
        Await.result(database.close());
    }

    @Test
    void nobodyThereIsUnavailableAndAClosedPoolIsShuttingDown() {
        Database nowhere = Database.open(
                vertx,
                DatabaseOptions.parse("postgresql://u:p@127.0.0.1:1/db?sslmode=disable"),
                new VertxTimers(vertx));
        Await.failure(nowhere.ping(in(60_000)), FailureCode.DATABASE_UNAVAILABLE);
        Await.result(nowhere.close());
        Await.failure(nowhere.ping(in(60_000)), FailureCode.SHUTTING_DOWN);
    }

    @Test
    void jdbcSpeaksThroughASocketAndAStartWithoutNativeTransportSaysWhatIsMissing() {
        String directories = testDatabase.queryText("show unix_socket_directories");
        DatabaseOptions tcp = testDatabase.options();
        DatabaseOptions socket = new DatabaseOptions(
                directories.split(",", -1)[0],
                tcp.port(),
                tcp.database(),
                "postgres",
                null,
                DatabaseOptions.Tls.DISABLE,
                null,
                2,
                8,
                5_000);

        assertThatCode(() -> JdbcSource.of(socket).getConnection().close()).doesNotThrowAnyException();
        assertThat(vertx.isNativeTransportEnabled()).isFalse();
        assertThat(Await.failure(Schema.migrate(vertx, socket), FailureCode.DATABASE_UNAVAILABLE)
                        .detail())
                .contains("native transport", "use host and port");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            postgresql://u:p@h/d                       | d at h:5432 as u, tls prefer
            postgres://u%40x:p%2Fq@h:6000/d?sslmode=require | d at h:6000 as u@x, tls require
            postgresql://u:a+b@[::1]:5433/d?sslmode=disable | d at ::1:5433 as u, tls disable
            postgresql://u@/d?host=/run/pg             | d at /run/pg/.s.PGSQL.5432 as u, tls disable
            postgresql://u@h/d?sslmode=verify-full&sslrootcert=/ca.pem | d at h:5432 as u, tls verify-full
            """)
    void aUrlIsRead(String url, String expected) {
        assertThat(DatabaseOptions.parse(url).toString()).contains(expected);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            mysql://u:secret@h/d                       | must start with postgresql://
            postgresql://u:secret@h                    | database name is missing
            postgresql://h/d                           | user is missing
            postgresql://u:secret@h:0/d                | port
            postgresql://u:secret@h/d?sslmode=maybe    | sslmode must be
            postgresql://u:secret@h/d?sslmode=verify-full | sslrootcert
            postgresql://u:secret@h/d?pool=3           | unknown parameter pool
            postgresql://u:sec^ret@h/d                 | percent-encoded
            postgresql://u:secret@h_h:x/d              | host or port
            """)
    void aWrongUrlIsRefusedWithoutShowingThePassword(String url, String expected) {
        assertThat(catchThrowable(() -> DatabaseOptions.parse(url)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(expected)
                .satisfies(error -> assertThat(error.getMessage()).doesNotContain("secret", "sec^ret"));
    }

    /** One connection, and a bound on opening it. */
    private static DatabaseOptions openedWithin(DatabaseOptions where, int millis) {
        return new DatabaseOptions(
                where.host(),
                where.port(),
                where.database(),
                where.user(),
                where.password(),
                DatabaseOptions.Tls.DISABLE,
                null,
                1,
                4,
                millis);
    }

    private static Database database(int size, int waiting) {
        return Database.open(vertx, testDatabase.options().withPool(size, waiting), new VertxTimers(vertx));
    }

    private static Deadline in(long millis) {
        return Deadline.afterMillis(SystemClock.INSTANCE, millis);
    }
}
