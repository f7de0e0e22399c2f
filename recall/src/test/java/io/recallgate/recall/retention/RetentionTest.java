package io.recallgate.recall.retention;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.recallgate.recall.Await;
import io.recallgate.recall.RealDatabaseTest;
import io.recallgate.recall.ScriptedEmbedder;
import io.recallgate.recall.api.RecallSettings;
import io.recallgate.recall.api.RetentionPolicy;
import io.recallgate.recall.api.Scope;
import io.recallgate.recall.database.DatabaseTime;
import io.recallgate.recall.jobs.ActiveModel;
import io.recallgate.recall.jobs.JobOptions;
import io.recallgate.recall.jobs.JobRunner;
import io.recallgate.time.Deadline;
import io.recallgate.time.FakeClock;
import io.recallgate.time.SystemClock;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** Retention on a real database; days pass on a fake clock. */
class RetentionTest extends RealDatabaseTest {

    private static final Scope ATLAS = new Scope("alice", "atlas");
    private static final Scope PLAIN = new Scope("alice", "");
    private static final Scope BOB = new Scope("bob", "atlas");

    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private final Logger logger = (Logger) LoggerFactory.getLogger(Retention.class);
    private final ListAppender<ILoggingEvent> log = new ListAppender<>();
    private volatile RetentionPolicy policy = RetentionPolicy.KEEP;
    private Retention retention;

    @BeforeEach
    void start() {
        log.start();
        logger.addAppender(log);
        retention = retention();
        retention.start();
    }

    private Retention retention() {
        return Retention.create(
                vertx,
                database,
                vectors,
                () -> policy,
                // Statements take real time; rounds and ages take the fake clock's.
                new Retention.Parts(SystemClock.INSTANCE, clock, DatabaseTime.of(clock), meters));
    }

    @AfterEach
    void nothingIsLeftBehind() {
        Await.result(retention.stop());
        Await.result(retention.stop());
        assertThat(clock.pending()).isZero();
        logger.detachAppender(log);
    }

    @Test
    void withoutASettingNothingIsEverRemoved() {
        memories(ATLAS, 3, 10_000);

        rounds(2);

        assertThat(left()).isEqualTo("alice/atlas 3");
        assertThat(meters.find("recallgate.retention.rounds").counters()).isEmpty();
    }

    @Test
    void whatNobodyHasWrittenForSoLongGoesWithItsVectorsAndJobsAndNothingElseDoes() {
        memories(ATLAS, 3, 31);
        memories(ATLAS, 2, 29);
        memories(PLAIN, 1, 400);
        memories(BOB, 4, 31);
        policy = new RetentionPolicy(0, Map.of(ATLAS, 30));

        round("done");

        assertThat(left()).isEqualTo("alice/ 1, alice/atlas 2, bob/atlas 4");
        for (String table : List.of("embedding_job", "memory_vector")) {
            assertThat(text("select count(*) from " + table)).isEqualTo("7");
        }
        assertThat(vectors.removed).hasSize(3);
        assertThat(vectors.committed).containsExactly(ATLAS);
        assertThat(meters.get("recallgate.retention.memories").counter().count())
                .isEqualTo(3);
        assertThat(log.list).singleElement().satisfies(line -> assertThat(line.getFormattedMessage())
                .isEqualTo("retention removed 3 memories of 1 projects"));
    }

    @Test
    void olderMemoriesOfAnotherOwnersProjectOfTheSameNameAreNotInTheWay() {
        // They alone would fill what is picked at once, and nothing of it may be removed.
        memories(BOB, Retention.BATCH, 400);
        memories(ATLAS, 3, 31);
        policy = new RetentionPolicy(0, Map.of(ATLAS, 30));

        round("done");

        assertThat(left()).isEqualTo("bob/atlas " + Retention.BATCH);
    }

    @Test
    void aProjectsRuleWinsOverTheGeneralOneAndPinnedMemoriesStay() {
        memories(ATLAS, 2, 100);
        memories(PLAIN, 2, 100);
        memories(BOB, 2, 100);
        testDatabase.execute("update memory set pinned = true where owner = 'bob' and content = 'text 1'");
        policy = new RetentionPolicy(90, Map.of(ATLAS, 0));

        round("done");

        assertThat(left()).isEqualTo("alice/atlas 2, bob/atlas 1");
    }

    @Test
    void ageCountsFromTheLastWriteAndNotFromWhatTheMemoryIsAbout() {
        memories(ATLAS, 2, 100);
        testDatabase.execute("update memory set occurred_at = '1999-01-01'");
        testDatabase.execute("update memory set updated_at = '" + clock.instant() + "' where content = 'text 1'");
        policy = new RetentionPolicy(30, Map.of());

        round("done");

        assertThat(text("select string_agg(content, ' ') from memory")).isEqualTo("text 1");
    }

    @Test
    void daysPassAndAChangedSettingCountsWithTheNextRound() {
        memories(ATLAS, 2, 0);
        policy = new RetentionPolicy(30, Map.of());
        round("done");
        assertThat(left()).isEqualTo("alice/atlas 2");

        policy = RetentionPolicy.KEEP;
        clock.advance(Duration.ofDays(31));
        rounds(1);
        assertThat(left()).isEqualTo("alice/atlas 2");

        policy = new RetentionPolicy(30, Map.of());
        round("done");
        assertThat(left()).isEqualTo("null");
    }

    @Test
    void manyAreRemovedInStepsOfABoundedSize() {
        memories(ATLAS, 2 * Retention.BATCH + 1, 40);
        memories(BOB, 1, 40);
        policy = new RetentionPolicy(30, Map.of());

        round("done");

        assertThat(left()).isEqualTo("null");
        assertThat(meters.get("recallgate.retention.memories").counter().count())
                .isEqualTo(2 * Retention.BATCH + 2);
        // Of each step's commit the index is told once.
        assertThat(vectors.committed).containsExactly(ATLAS, ATLAS, ATLAS, BOB);
    }

    @Test
    void aRoundEndsAfterItsStepsAndTheNextGoesOnSoonWhereItEnded() {
        for (int i = 0; i <= Retention.STEPS; i++) {
            memories(new Scope("owner" + String.format("%03d", i), ""), 1, 40);
        }
        policy = new RetentionPolicy(30, Map.of());

        round("more");
        assertThat(left()).isEqualTo("owner" + Retention.STEPS + "/ 1");
        long before = rounds("done");
        clock.advanceMillis(Retention.MORE_MILLIS);
        Await.until("the rest", () -> rounds("done") > before);

        assertThat(left()).isEqualTo("null");
    }

    @Test
    void whatAWriterHoldsWaitsForTheNextRoundAndIsNotWaitedFor() throws SQLException {
        memories(ATLAS, 2, 40);
        policy = new RetentionPolicy(30, Map.of());
        try (Connection writer = testDatabase.jdbc();
                Statement statement = writer.createStatement()) {
            writer.setAutoCommit(false);
            statement.execute("update memory set updated_at = '" + clock.instant() + "' where content = 'text 1'");
            round("done");
            writer.commit();
        }

        round("done");
        assertThat(text("select string_agg(content, ' ') from memory")).isEqualTo("text 1");
    }

    @Test
    void whileAnotherNodeIsAtItNothingIsDoneTwice() throws SQLException {
        memories(ATLAS, 2, 40);
        policy = new RetentionPolicy(30, Map.of());
        try (Connection other = testDatabase.jdbc();
                Statement statement = other.createStatement()) {
            other.setAutoCommit(false);
            statement.execute("select pg_advisory_xact_lock(7411, 3)");
            round("elsewhere");
            assertThat(left()).isEqualTo("alice/atlas 2");
            other.rollback();
        }

        round("done");
        assertThat(left()).isEqualTo("null");
    }

    @Test
    void aJobThatRunsForARemovedMemoryCommitsNothing() {
        memories(ATLAS, 1, 40);
        testDatabase.execute("delete from memory_vector; delete from embedding_job; insert into embedding_job"
                + " (memory_id, owner, project, content_hash) select id, owner, project, content_hash from memory");
        ScriptedEmbedder embedder = new ScriptedEmbedder();
        embedder.hold("text 1");
        FakeClock jobClock = new FakeClock();
        JobRunner runner = JobRunner.create(
                vertx,
                new JobRunner.Stores(database, vectors),
                embedder,
                new ActiveModel(embedder),
                new JobRunner.Parts(
                        SystemClock.INSTANCE,
                        jobClock,
                        DatabaseTime.SERVER,
                        () -> RecallSettings.DEFAULTS,
                        new Random(1),
                        meters),
                JobOptions.defaults("a"));
        runner.start();
        Await.until("it runs", () -> embedder.timesAsked("text 1") == 1);
        policy = new RetentionPolicy(30, Map.of());

        round("done");
        embedder.release("text 1");
        Await.result(runner.stop(Deadline.afterMillis(SystemClock.INSTANCE, 15_000)));

        assertThat(left()).isEqualTo("null");
        for (String table : List.of("embedding_job", "memory_vector")) {
            assertThat(text("select count(*) from " + table)).isEqualTo("0");
        }
        assertThat(vectors.committed).containsExactly(ATLAS);
        assertThat(jobClock.pending()).isZero();
    }

    @Test
    void aFailedRoundIsToldAndTheNextOneDoesItsWork() {
        memories(ATLAS, 1, 40);
        policy = new RetentionPolicy(30, Map.of());
        testDatabase.execute("alter table memory rename to hidden");
        try {
            round("failed");
        } finally {
            testDatabase.execute("alter table hidden rename to memory");
        }
        assertThat(log.list).singleElement().satisfies(line -> assertThat(line.getFormattedMessage())
                .startsWith("memories past their retention cannot be removed"));

        round("done");
        assertThat(left()).isEqualTo("null");
    }

    private long rounds(String outcome) {
        return meters.find("recallgate.retention.rounds").tag("outcome", outcome).counters().stream()
                .mapToLong(counter -> (long) counter.count())
                .sum();
    }

    /** One round, to its end. */
    private void round(String outcome) {
        long before = rounds(outcome);
        Await.until("armed", () -> clock.pending() == 1);
        clock.advanceMillis(Retention.ROUND_MILLIS);
        Await.until(outcome, () -> rounds(outcome) > before);
        Await.until("armed again", () -> clock.pending() == 1);
    }

    /** Rounds that have nothing to do. */
    private void rounds(int times) {
        for (int i = 0; i < times; i++) {
            Await.until("armed", () -> clock.pending() == 1);
            clock.advanceMillis(Retention.ROUND_MILLIS);
            Await.until("armed again", () -> clock.pending() == 1);
        }
    }

    private static String left() {
        return text("select string_agg(line, ', ' order by line) from (select owner || '/' || project"
                + " || ' ' || count(*) as line from memory group by owner, project) scopes");
    }

    /** Memories with a finished job and a vector each. */
    private void memories(Scope scope, int count, int daysOld) {
        String at = "timestamptz '" + clock.instant() + "' - interval '24 hours' * " + daysOld;
        testDatabase.execute(
                "with stored as (insert into memory (id, owner, project, kind, content, content_hash, words,"
                        + " word_count, created_at, updated_at) select gen_random_uuid(), '" + scope.owner() + "', '"
                        + scope.project() + "', 'note', 'text ' || n, sha256('x'), '', 0, " + at + ", " + at
                        + " from generate_series(1, " + count + ") n returning id, owner, project, content_hash),"
                        + " jobs as (insert into embedding_job (memory_id, owner, project, content_hash, state, finished_at)"
                        + " select id, owner, project, content_hash, 'done', now() from stored)"
                        + " insert into memory_vector (memory_id, fingerprint, owner, project, content_hash, dimensions, vector)"
                        + " select id, 'f', owner, project, content_hash, 1, '\\x0000803f' from stored");
    }
}
