package io.recallgate.recall.log;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.recallgate.recall.Await;
import io.recallgate.recall.MemoryFixture;
import io.recallgate.recall.TestDatabase;
import io.recallgate.recall.api.Scope;
import io.recallgate.recall.database.Database;
import io.recallgate.recall.database.DatabaseTime;
import io.recallgate.time.FakeClock;
import io.recallgate.time.SystemClock;
import io.recallgate.time.VertxTimers;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class AccessCountsTest {

    private final Scope scope = new Scope("alice", "");
    private final FakeClock clock = new FakeClock();
    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private final TestDatabase server = TestDatabase.embedded();
    private final Vertx vertx = Vertx.vertx();
    private final Database database = Database.open(vertx, server.options(), new VertxTimers(vertx));
    private final MemoryFixture memories = new MemoryFixture(server);
    private AccessCounts counts;

    @BeforeEach
    void open() {
        // Statements take real time; batches take the fake clock's.
        counts = new AccessCounts(
                database, new RecallLog.Parts(SystemClock.INSTANCE, clock, DatabaseTime.of(clock), meters));
    }

    @AfterEach
    void close() {
        Await.result(counts.close());
        assertThat(clock.pending()).isZero();
        Await.result(database.close());
        Await.result(vertx.close());
        memories.close();
        server.close();
    }

    @Test
    void eachRecallCountsOnceForEachOfItsHitsAMomentLater() {
        UUID often = memories.turn(scope, "often");
        UUID once = memories.turn(scope, "once");
        memories.turn(scope, "never");
        counts.accept(List.of(often, once));
        counts.accept(List.of(often));
        counts.accept(List.of());
        assertThat(told()).isEqualTo("null");

        clock.advance(Duration.ofMillis(BatchWriter.GATHER_MILLIS));
        Await.until("they are counted", () -> told().equals("often 2, once 1"));
        assertThat(server.queryText(
                        "select count(distinct last_at) from memory_access where last_at = '" + clock.instant() + "'"))
                .isEqualTo("1");

        clock.advance(Duration.ofDays(1));
        counts.accept(List.of(once));
        Await.result(counts.close());
        assertThat(told()).isEqualTo("often 2, once 2");
        assertThat(server.queryText("select version from memory where content = 'once'"))
                .isEqualTo("1");
    }

    @Test
    void whatWasRemovedMeanwhileDoesNotKeepTheOthersFromBeingCounted() {
        UUID stays = memories.turn(scope, "stays");
        UUID goes = memories.turn(scope, "goes");
        counts.accept(List.of(goes, stays));
        memories.delete(goes);

        Await.result(counts.close());

        assertThat(told()).isEqualTo("stays 1");
    }

    @Test
    void whatTheDatabaseDoesNotTakeIsDroppedAndCountedAndNobodyHearsOfIt() {
        server.execute("alter table memory_access rename to elsewhere");
        counts.accept(List.of(memories.turn(scope, "kettle")));

        Await.result(counts.close());

        assertThat(dropped("failed")).isOne();
        counts.accept(List.of(UUID.randomUUID()));
        assertThat(dropped("full")).isOne();
    }

    @Test
    void nobodyWaitsAndNothingGrowsWithoutBoundWhileTheDatabaseIsSlow() {
        for (int i = 0; i < Batches.MAX_WAITING + 200; i++) {
            counts.accept(List.of(new UUID(0, i)));
        }
        assertThat(dropped("full")).isBetween(50.0, 200.0);
    }

    private double dropped(String why) {
        return meters.get("recallgate.memory.accesses.dropped")
                .tag("reason", why)
                .counter()
                .count();
    }

    private String told() {
        return server.queryText("select string_agg(content || ' ' || recalls, ', ' order by content)"
                + " from memory_access join memory on id = memory_id");
    }
}
