package io.recallgate.recall.database;

import static org.assertj.core.api.Assertions.assertThat;

import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import io.recallgate.recall.Await;
import io.recallgate.recall.TestDatabase;
import io.recallgate.time.Deadline;
import io.recallgate.time.FakeClock;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.net.NetClient;
import io.vertx.core.net.NetServer;
import io.vertx.core.net.NetSocket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** CONTRACTS E5: a real database behind a relay that can swallow everything, as a pause or a network does. */
class SilentDatabaseTest {

    private final Vertx vertx = Vertx.vertx();
    private final FakeClock clock = new FakeClock();
    private final List<NetSocket> open = new CopyOnWriteArrayList<>();
    private final AtomicInteger accepted = new AtomicInteger();
    private final TestDatabase server = TestDatabase.empty();
    private final AtomicInteger answered = new AtomicInteger();
    private final AtomicInteger atOnce = new AtomicInteger();
    private final AtomicInteger mostAtOnce = new AtomicInteger();
    private volatile boolean swallowing;
    private volatile boolean refusing;
    /** Nothing is passed on from the moment in which somebody sends this. */
    private volatile @Nullable String swallowFrom;

    private Database database;

    @BeforeEach
    void connect() {
        database = Database.open(vertx, relayed(2, 4), clock);
        // Both connections of the pool and the line beside it are open before anything is swallowed.
        bothAreOpen();
        Await.result(database.ping(in(60_000)));
    }

    private void bothAreOpen() {
        // Neither is given back before the other is there, however long opening it takes.
        AtomicInteger taken = new AtomicInteger();
        Promise<Void> both = Promise.promise();
        List<Future<Void>> uses = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            uses.add(database.connection(
                    in(60_000),
                    connection -> connection.query("select 1").execute().compose(answered -> {
                        if (taken.incrementAndGet() == 2) {
                            both.complete();
                        }
                        return both.future();
                    })));
        }
        uses.forEach(Await::result);
    }

    @AfterEach
    void nothingIsLeft() {
        Await.result(database.close());
        Await.until("no timer is left", () -> clock.pending() == 0);
        Await.result(vertx.close());
        server.close();
    }

    @Test
    void whoeverWaitsIsToldAfterASecondAndAHalfAndWhoeverComesLaterAtOnce() {
        swallow();
        List<Future<Integer>> waiting = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            waiting.add(select("select 1", 900_000));
        }
        clock.advanceMillis(Pulse.QUIET_MILLIS);
        assertThat(waiting).noneMatch(Future::isComplete);
        clock.advanceMillis(Pulse.ANSWER_MILLIS);

        for (Future<Integer> one : waiting) {
            FailureException failure = Await.failure(one, FailureCode.DATABASE_UNAVAILABLE);
            assertThat(failure.retryAfter()).isNotNull();
        }
        assertThat(select("select 1", 900_000).failed()).isTrue();
        Await.failure(database.ping(in(1_000)), FailureCode.DATABASE_UNAVAILABLE);
    }

    @Test
    void itServesAgainByItselfOnTheConnectionsItHadOnceAnythingComesBack() {
        swallow();
        Future<Integer> lost = select("select 1", 900_000);
        silence();
        Await.failure(lost, FailureCode.DATABASE_UNAVAILABLE);
        int before = accepted.get();

        release();

        Await.until(
                "callers are taken on again", () -> !select("select 1", 60_000).failed());
        assertThat(Await.result(select("select 7", 60_000))).isEqualTo(7);
        assertThat(accepted).hasValue(before);
    }

    @Test
    void aSilentLineIsReplacedAfterAWhile() {
        swallow();
        Future<Integer> lost = select("select 1", 900_000);
        silence();
        Await.failure(lost, FailureCode.DATABASE_UNAVAILABLE);
        // As after a change of addresses: what is open stays dead, and only a new connection gets through.
        int before = accepted.get();
        swallowing = false;
        clock.advanceMillis(Pulse.REDIAL_MILLIS);

        Await.until("a new line was opened", () -> accepted.get() > before);
        Await.until(
                "callers are taken on again", () -> !select("select 1", 60_000).failed());
    }

    @Test
    void callersAreServedOnNewConnectionsWhenAllThatWereOpenStayDead() {
        loseBoth();
        swallowing = false;
        clock.advanceMillis(Pulse.REDIAL_MILLIS);
        awaitService();

        for (int i = 0; i < 3; i++) {
            assertThat(Await.result(select("select 7", 60_000))).isEqualTo(7);
        }
        assertThat(database.abandonedConnections())
                .as("two of the pool, and a line")
                .isEqualTo(3);
        // The pool and the line beside it, and a line that is being closed while the next is opened.
        assertThat(mostAtOnce.get()).isLessThanOrEqualTo(2 + 2);
    }

    @Test
    void aRefusalOnANewConnectionEndsTheDeadOnesToo() {
        loseBoth();
        swallowing = false;
        refusing = true;
        clock.advanceMillis(Pulse.REDIAL_MILLIS);
        Await.until("the refusal is passed on", () -> {
            Throwable cause = Await.settled(select("select 1", 60_000)).cause();
            return FailureException.of(cause).detail().contains("out of reach");
        });

        refusing = false;

        awaitService();
        assertThat(Await.result(select("select 7", 60_000))).isEqualTo(7);
    }

    @Test
    void noMoreConnectionsAreAbandonedThanTheServerCanBear() {
        for (int i = 1; i <= 3; i++) {
            loseBoth();
            swallowing = false;
            clock.advanceMillis(Pulse.REDIAL_MILLIS);
            awaitService();
            bothAreOpen();
            assertThat(database.abandonedConnections()).isEqualTo(3 * i);
        }
        loseBoth();
        int before = accepted.get();
        swallowing = false;
        clock.advanceMillis(Pulse.REDIAL_MILLIS);
        Await.until("a new line was opened", () -> accepted.get() > before);
        Await.until("it was answered", () -> answered.get() == accepted.get());

        assertThat(select("select 1", 60_000).failed()).as("refused at once").isTrue();
        assertThat(database.abandonedConnections()).isEqualTo(10);

        clock.advanceMillis(AbandonedConnections.HELD_MILLIS);
        awaitService();
        assertThat(Await.result(select("select 7", 60_000))).isEqualTo(7);
    }

    @Test
    void openingTheLineHasATimeOfItsOwnAndTheQuestionItsOwn() {
        swallow();
        Database fresh = Database.open(vertx, relayed(1, 4), clock);
        Future<Void> asked = fresh.ping(in(60_000));
        clock.advanceMillis(Heartbeat.OPEN_MILLIS - 1);
        assertThat(asked.isComplete()).isFalse();
        swallowFrom = "select 1";
        release();
        Await.until("the question is asked", () -> swallowing);

        clock.advanceMillis(Pulse.ANSWER_MILLIS - 1);
        assertThat(asked.isComplete()).isFalse();
        clock.advanceMillis(1);
        Await.failure(asked, FailureCode.DATABASE_UNAVAILABLE);
        Await.result(fresh.close());
    }

    @Test
    void aBusyDatabaseIsNotASilentOne() {
        Future<Integer> slow = select("select 1 from pg_sleep(0.5)", 900_000);
        Future<Integer> slowToo = select("select 1 from pg_sleep(0.5)", 900_000);
        Future<Integer> queued = select("select 3", 900_000);

        clock.advanceMillis(Pulse.QUIET_MILLIS);
        Await.result(database.ping(in(60_000)));
        clock.advanceMillis(Pulse.ANSWER_MILLIS);

        assertThat(Await.result(slow)).isEqualTo(1);
        assertThat(Await.result(slowToo)).isEqualTo(1);
        assertThat(Await.result(queued)).isEqualTo(3);
    }

    @Test
    void aPingIsAnsweredWhileEveryConnectionOfThePoolIsTakenAndCallersQueue() {
        Promise<Void> goOn = Promise.promise();
        List<Future<Void>> holding = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            holding.add(database.connection(in(900_000), connection -> goOn.future()));
        }

        Await.result(database.ping(in(60_000)));

        goOn.complete();
        holding.forEach(Await::result);
    }

    @Test
    void whatIsNotYetKnownToBeSilenceIsCalledADeadlineOrOverload() {
        swallow();
        Future<Integer> before = select("select 1", Pulse.QUIET_MILLIS - 1);
        Future<Integer> after = select("select 1", Pulse.QUIET_MILLIS + 1);
        List<Future<Integer>> waiting = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            waiting.add(select("select 1", 900_000));
        }
        clock.advanceMillis(Pulse.QUIET_MILLIS);
        assertThat(Await.failure(select("select 1", 900_000), FailureCode.OVERLOADED)
                        .retryAfter())
                .isNotNull();
        clock.advanceMillis(1);

        Await.failure(before, FailureCode.DEADLINE_EXCEEDED);
        Await.failure(after, FailureCode.DEADLINE_EXCEEDED);
        assertThat(waiting).noneMatch(Future::isComplete);
        clock.advanceMillis(Pulse.ANSWER_MILLIS - 1);
        waiting.forEach(one -> Await.failure(one, FailureCode.DATABASE_UNAVAILABLE));
    }

    @Test
    void anErrorOfACallersOwnIsNoSignOfLife() {
        Promise<Void> own = Promise.promise();
        Promise<Context> where = Promise.promise();
        Future<Void> lost = database.connection(in(900_000), connection -> {
            where.complete(Vertx.currentContext());
            return own.future();
        });
        Context context = Await.result(where.future());
        swallow();
        silence();
        Await.failure(lost, FailureCode.DATABASE_UNAVAILABLE);

        // Where the work runs, so that whatever follows from its end has happened when this is over.
        Promise<Void> over = Promise.promise();
        context.runOnContext(ignored -> {
            own.fail(new IllegalStateException("nothing that the database said"));
            over.complete();
        });
        Await.result(over.future());

        assertThat(select("select 1", 60_000).failed()).as("still silent").isTrue();
    }

    @Test
    void aWriteThatWasRefusedIsNotCommittedLater() {
        server.execute("create table t (id int primary key)");
        Promise<Void> inside = Promise.promise();
        Future<Void> write = database.transaction(in(900_000), connection -> connection
                .query("insert into t values (1)")
                .execute()
                .compose(inserted -> {
                    swallow();
                    inside.complete();
                    return connection.query("select 1").execute();
                })
                .mapEmpty());
        Await.result(inside.future());
        silence();
        Await.failure(write, FailureCode.DATABASE_UNAVAILABLE);

        release();

        Await.until("its connection is free of it", () -> server.queryText(
                        "select count(*) from pg_stat_activity where state like 'idle in%' and datname = current_database()")
                .equals("0"));
        assertThat(server.queryText("select count(*) from t")).isEqualTo("0");
    }

    @Test
    void whoeverRefusesIsNotSilentAndSaysSoItself() {
        Database nowhere =
                Database.open(vertx, DatabaseOptions.parse("postgresql://u:p@127.0.0.1:1/db?sslmode=disable"), clock);
        for (int i = 0; i < 3; i++) {
            Await.failure(nowhere.ping(in(10_000)), FailureCode.DATABASE_UNAVAILABLE);
            clock.advanceMillis(Pulse.QUIET_MILLIS);
            FailureException failure = Await.failure(
                    nowhere.connection(
                            in(10_000),
                            connection -> connection.query("select 1").execute()),
                    FailureCode.DATABASE_UNAVAILABLE);
            assertThat(failure.detail()).contains("out of reach");
        }
        Await.result(nowhere.close());
    }

    @Test
    void aLineThatCannotEvenBeOpenedIsNoAnswer() {
        swallow();
        Database dead = Database.open(vertx, relayed(1, 4).withConnectTimeout(100), clock);
        Future<Void> asked = dead.ping(in(60_000));
        // The pool gives up on its connection after as long as the line does, and began later.
        Await.failure(
                dead.connection(
                        in(60_000), connection -> connection.query("select 1").execute()),
                FailureCode.DATABASE_UNAVAILABLE);
        assertThat(asked.isComplete()).isFalse();

        clock.advanceMillis(Heartbeat.OPEN_MILLIS);

        assertThat(Await.failure(asked, FailureCode.DATABASE_UNAVAILABLE).detail())
                .contains("answers nobody");
        assertThat(dead.ping(in(1_000)).failed()).isTrue();
        Await.result(dead.close());
    }

    @Test
    void noQuestionIsAskedOnALineThatCouldNotBeOpened() {
        swallow();
        Database dead = Database.open(vertx, relayed(1, 4).withConnectTimeout(100), clock);
        Future<Void> asked = dead.ping(in(60_000));
        anotherFailsToOpen();
        clock.advanceMillis(Heartbeat.OPEN_MILLIS);
        Await.failure(asked, FailureCode.DATABASE_UNAVAILABLE);

        for (int i = 0; i < 3; i++) {
            clock.advanceMillis(Pulse.MAX_REDIAL_MILLIS);
            anotherFailsToOpen();

            assertThat(dead.ping(in(1_000)).failed()).as("still silent").isTrue();
        }
        Await.result(dead.close());
    }

    /** Takes as long as opening a line does, and begins later. */
    private void anotherFailsToOpen() {
        Database other = Database.open(vertx, relayed(1, 4).withConnectTimeout(100), clock);
        Await.failure(
                other.connection(
                        in(60_000), connection -> connection.query("select 1").execute()),
                FailureCode.DATABASE_UNAVAILABLE);
        Await.result(other.close());
    }

    /** Half a second in which nothing comes back, and the second that the question is given. */
    private void silence() {
        clock.advanceMillis(Pulse.QUIET_MILLIS);
        clock.advanceMillis(Pulse.ANSWER_MILLIS);
    }

    /** Callers on both connections, and a silence after which all that were open stay dead. */
    private void loseBoth() {
        swallow();
        List<Future<Integer>> lost = List.of(select("select 1", 900_000), select("select 1", 900_000));
        // What was heard just before makes it half a second more.
        for (int i = 0; i < 4 && !lost.get(0).isComplete(); i++) {
            clock.advanceMillis(Pulse.QUIET_MILLIS);
        }
        lost.forEach(one -> Await.failure(one, FailureCode.DATABASE_UNAVAILABLE));
        open.clear();
    }

    private void awaitService() {
        Await.until("callers are taken on again", () -> Await.settled(select("select 1", 60_000))
                .succeeded());
    }

    private void swallow() {
        swallowing = true;
        open.forEach(NetSocket::pause);
    }

    private void release() {
        swallowing = false;
        open.forEach(NetSocket::resume);
    }

    private Future<Integer> select(String sql, long deadlineMillis) {
        return database.connection(in(deadlineMillis), connection -> connection
                .query(sql)
                .execute()
                .map(rows -> rows.iterator().next().getInteger(0)));
    }

    private Deadline in(long millis) {
        return Deadline.afterMillis(clock, millis);
    }

    private DatabaseOptions relayed(int size, int waiting) {
        DatabaseOptions real = server.options();
        NetClient client = vertx.createNetClient();
        NetServer relay = vertx.createNetServer().connectHandler(socket -> {
            if (refusing) {
                socket.close();
                return;
            }
            accepted.incrementAndGet();
            mostAtOnce.accumulateAndGet(atOnce.incrementAndGet(), Math::max);
            socket.pause();
            client.connect(real.port(), real.host())
                    .onComplete(upstream -> join(socket, upstream), error -> socket.close());
        });
        int port = Await.result(relay.listen(0, "127.0.0.1")).actualPort();
        return DatabaseOptions.parse("postgresql://" + real.user() + ":" + real.password() + "@127.0.0.1:" + port + "/"
                        + real.database() + "?sslmode=disable")
                .withPool(size, waiting);
    }

    private void join(NetSocket here, NetSocket there) {
        AtomicBoolean ready = new AtomicBoolean();
        here.handler(sent -> {
            String from = swallowFrom;
            if (from != null && sent.toString(StandardCharsets.ISO_8859_1).contains(from)) {
                swallow();
                return;
            }
            there.write(sent);
        });
        there.handler(sent -> {
            if (sent.toString(StandardCharsets.ISO_8859_1).contains("SELECT 1") && ready.compareAndSet(false, true)) {
                answered.incrementAndGet();
            }
            here.write(sent);
        });
        here.closeHandler(closed -> {
            atOnce.decrementAndGet();
            there.close();
        });
        there.closeHandler(closed -> here.close());
        open.add(here);
        open.add(there);
        if (swallowing) {
            here.pause();
            there.pause();
        } else {
            here.resume();
        }
    }
}
