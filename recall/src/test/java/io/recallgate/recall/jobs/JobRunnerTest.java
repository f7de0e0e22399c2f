package io.recallgate.recall.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.recallgate.failure.FailureCode;
import io.recallgate.recall.Await;
import io.recallgate.recall.RecordingVectorIndex;
import io.recallgate.recall.ScriptedEmbedder;
import io.recallgate.recall.SimpleWords;
import io.recallgate.recall.TestDatabase;
import io.recallgate.recall.api.JobReport;
import io.recallgate.recall.api.Memory;
import io.recallgate.recall.api.MemoryDraft;
import io.recallgate.recall.api.MemoryKind;
import io.recallgate.recall.api.MemoryQuery;
import io.recallgate.recall.api.MemoryState;
import io.recallgate.recall.api.RecallSettings;
import io.recallgate.recall.api.Scope;
import io.recallgate.recall.bus.RecallEvents;
import io.recallgate.recall.database.Database;
import io.recallgate.recall.database.DatabaseTime;
import io.recallgate.recall.database.TroubleLog;
import io.recallgate.recall.store.MemoryStore;
import io.recallgate.time.CancelSignal;
import io.recallgate.time.Deadline;
import io.recallgate.time.FakeClock;
import io.recallgate.time.SystemClock;
import io.recallgate.time.VertxTimers;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.eventbus.MessageConsumer;
import io.vertx.core.json.JsonObject;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** Jobs on a real database with a fake clock: what is due runs when the test says so. */
class JobRunnerTest {

    private static final Scope SCOPE = new Scope("owner", "");
    private static final String LONG = "The keeper of the garden waters the roses every morning. "
            .repeat(120)
            .strip();

    private static Vertx vertx;
    private static TestDatabase testDatabase;

    private final FakeClock clock = new FakeClock();
    private final ScriptedEmbedder embedder = new ScriptedEmbedder();
    private final ActiveModel model = new ActiveModel(embedder);
    private final RecordingVectorIndex vectors = new RecordingVectorIndex();
    private final List<JobRunner> runners = new ArrayList<>();
    private Database database;
    private MemoryStore store;

    @BeforeAll
    static void open() {
        vertx = Vertx.vertx();
        testDatabase = TestDatabase.embedded();
    }

    @AfterAll
    static void close() {
        Await.result(vertx.close());
        testDatabase.close();
    }

    @BeforeEach
    void start() {
        testDatabase.execute("truncate memory cascade");
        database = Database.open(vertx, testDatabase.options(), new VertxTimers(vertx));
        store = new MemoryStore(
                database,
                new SimpleWords(),
                vectors,
                vertx.createSharedWorkerExecutor("test-jobs", 1),
                new MemoryStore.Config(clock, DatabaseTime.of(clock), model::fingerprint));
    }

    @AfterEach
    void nothingIsLeftBehind() {
        embedder.releaseAll();
        for (JobRunner runner : runners) {
            Future<Void> stopped = runner.stop(soon());
            Await.result(stopped);
        }
        Await.until("no timer is pending", () -> clock.pending() == 0);
        Await.result(database.close());
    }

    @Test
    void whatIsRememberedIsEmbeddedWithItsAuthorInFront() {
        runner("a");
        UUID id = remember("I moved to Kyoto", "Mina");

        awaitJobs("done", 1);
        assertThat(embedder.asked).containsExactly("Mina: I moved to Kyoto");
        assertThat(Await.result(store.get(SCOPE, id, soon())).state()).isEqualTo(MemoryState.EMBEDDED);
        assertThat(testDatabase.queryText(
                        "select fingerprint || passage || dimensions || encode(vector, 'hex')" + " from memory_vector"))
                .isEqualTo("f102" + "9a99193fcdcc4c3f");
        assertThat(vectors.replaced).hasSize(1);
        assertThat(vectors.committed).containsExactly(SCOPE);
    }

    @Test
    void noMoreThanItsConcurrencyIsEverHandedToTheEmbedder() {
        embedder.holdAll();
        rememberMany(30);
        runner("a");

        Await.until("eight are in flight", () -> embedder.asked.size() == 8);
        assertThat(count("running")).isEqualTo(8);
        embedder.releaseAll();
        awaitJobs("done", 30);
        assertThat(embedder.asked).hasSize(30).doesNotHaveDuplicates();
    }

    @Test
    void theUrgentComesBeforeTheOldAndTheOldBeforeTheNew() {
        remember("first", null);
        remember("second", null);
        remember("urgent", null);
        testDatabase.execute("update embedding_job set priority = 0 where memory_id ="
                + " (select id from memory where content = 'urgent')");
        JobTable table = table("a");

        assertThat(Await.result(table.claim(2, 1 << 20, 60_000, List.of())).stream()
                        .map(ClaimedJob::content))
                .containsExactly("urgent", "first");
    }

    @Test
    void twoRunnersShareTheWorkAndNothingRunsTwice() {
        rememberMany(60);
        runner("a");
        runner("b");

        awaitJobs("done", 60);
        assertThat(embedder.asked).hasSize(60).doesNotHaveDuplicates();
    }

    @Test
    void aPoisonousTextFailsWithItsHistoryAndTheOthersProceed() {
        embedder.fail("poison", FailureCode.EMBEDDING_FAILED);
        UUID poison = remember("poison", null);
        rememberMany(5);
        runner("a");
        awaitJobs("done", 5);

        advanceUntil("failed", 1);
        assertThat(embedder.timesAsked("poison")).isEqualTo(5);

        JobReport report = Await.result(new JobReports(database, DatabaseTime.of(clock), model).report(SCOPE, soon()));
        assertThat(report.counts())
                .containsEntry("failed", 1L)
                .containsEntry("done", 5L)
                .containsEntry("running", 0L);
        assertThat(report.errors()).extracting(JobReport.JobError::attempt).containsExactly(5, 4, 3, 2, 1);
        assertThat(report.errors())
                .allMatch(
                        error -> error.memoryId().equals(poison) && error.code().equals("embedding-failed"));
        assertThat(Await.result(store.get(SCOPE, poison, soon())).state()).isEqualTo(MemoryState.FAILED);
    }

    @Test
    void aTextThatWasGivenUpFailsAtOnceAndIsVisible() {
        embedder.fail("poison", FailureCode.EMBEDDING_GIVEN_UP);
        UUID poison = remember("poison", null);
        runner("a");

        awaitJobs("failed", 1);
        assertThat(embedder.asked).containsExactly("poison");
        JobReport report = Await.result(new JobReports(database, DatabaseTime.of(clock), model).report(SCOPE, soon()));
        assertThat(report.errors()).extracting(JobReport.JobError::code).containsExactly("embedding-given-up");
        assertThat(Await.result(store.get(SCOPE, poison, soon())).state()).isEqualTo(MemoryState.FAILED);
    }

    @Test
    void aQuarantinedTextKeepsItsLeaseAsksSeldomAndRunsOnceItsThreadReturned() {
        embedder.fail("stuck", FailureCode.QUARANTINED);
        remember("stuck", null);
        runner("a");
        Await.until("it was asked", () -> embedder.timesAsked("stuck") == 1);

        for (int i = 0; i < 30; i++) {
            Await.until("it is at rest", () -> clock.pending() == 3);
            clock.advanceMillis(20_000);
            Await.until("it is at rest again", () -> clock.pending() == 3);
            assertThat(testDatabase.queryText("select state || ' ' || attempt || ' ' || failures || ' '"
                            + " || (lease_until > '" + clock.instant() + "') from embedding_job"))
                    .isEqualTo("running 1 0 true");
        }
        assertThat(embedder.timesAsked("stuck"))
                .as("ten minutes of waits that double from one second")
                .isBetween(5L, 15L);

        embedder.mend("stuck");
        advanceUntilDone(1);
        assertThat(testDatabase.queryText("select attempt || ' ' || failures || ' ' || errors from embedding_job"))
                .isEqualTo("1 0 []");
    }

    @Test
    void quarantinedTextsTakeNoPlacesOfOthers() {
        for (int i = 0; i < 9; i++) {
            embedder.fail("memory " + i, FailureCode.QUARANTINED);
        }
        rememberMany(30);
        runner("a");

        awaitJobs("done", 21);
        assertThat(count("running")).isEqualTo(9);
        for (int i = 0; i < 9; i++) {
            embedder.mend("memory " + i);
        }
        advanceUntilDone(30);
        assertThat(testDatabase.queryText("select max(attempt) from embedding_job"))
                .isEqualTo("1");
    }

    @Test
    void aQuarantinedTextIsGivenBackWhenItsRunnerStops() {
        embedder.fail("stuck", FailureCode.QUARANTINED);
        remember("stuck", null);
        JobRunner runner = runner("a");
        Await.until("it was asked", () -> embedder.timesAsked("stuck") == 1);
        Await.until("it is parked", () -> clock.pending() == 3);

        Await.result(runner.stop(soon()));

        assertThat(testDatabase.queryText("select state || ' ' || failures from embedding_job"))
                .isEqualTo("available 0");
        assertThat(clock.pending()).isZero();
    }

    @Test
    void aQuarantinedTextThatWasReplacedIsLetGoOf() {
        embedder.fail("stuck", FailureCode.QUARANTINED);
        rememberAs("e", "stuck");
        runner("a");
        Await.until("it was asked", () -> embedder.timesAsked("stuck") == 1);
        Await.until("it is parked", () -> clock.pending() == 3);

        rememberAs("e", "new");
        for (int i = 0; i < 3; i++) {
            clock.advanceMillis(20_000);
            awaitJobs("running", 0);
        }

        awaitJobs("done", 1);
        Await.until("its timer is gone", () -> clock.pending() == 2);
        long asked = embedder.timesAsked("stuck");
        clock.advanceMillis(600_000);
        Await.until("it is at rest", () -> clock.pending() == 2);
        assertThat(embedder.timesAsked("stuck")).isEqualTo(asked);
    }

    @Test
    void anOperatorCanRetryWhatFailedButOnlyTheirOwn() {
        UUID id = remember("big", null);
        embedder.fail("big", FailureCode.WORK_TOO_LARGE);
        runner("a");
        awaitJobs("failed", 1);
        embedder.fail("big", FailureCode.OVERLOADED);
        JobReports jobs = new JobReports(database, DatabaseTime.of(clock), model);

        assertThat(Await.result(jobs.retryFailed(new Scope("somebody", ""), soon())))
                .isZero();
        assertThat(Await.result(jobs.report(new Scope("somebody", ""), soon())).errors())
                .isEmpty();
        assertThat(Await.result(jobs.retryFailed(SCOPE, soon()))).isOne();
        assertThat(Await.result(store.get(SCOPE, id, soon())).state()).isEqualTo(MemoryState.PENDING);
    }

    @Test
    void aProviderInTroubleCostsNoAttemptsAndIsNotHammered() {
        embedder.failAll(FailureCode.EMBEDDING_UNAVAILABLE);
        rememberMany(20);
        runner("a");
        Await.until("the first claim is back", () -> count("retryable") == 8);
        assertThat(embedder.asked).hasSize(8);
        for (int i = 0; i < 10; i++) {
            clock.advanceMillis(30_000);
            awaitJobs("running", 0);
        }
        assertThat(testDatabase.queryText("select max(failures) from embedding_job"))
                .isEqualTo("0");
        assertThat(testDatabase.queryText("select count(*) from embedding_job where errors <> '[]'"))
                .isEqualTo("0");

        embedder.failAll(null);
        advanceUntilDone(20);
    }

    @Test
    void errorsThatHitTheCanaryTooAreTheProvidersAndNotTheTexts() {
        embedder.failAll(FailureCode.EMBEDDING_FAILED);
        remember("innocent", null);
        runner("a");
        Await.until("it was tried", () -> embedder.asked.contains(JobExecution.CANARY) && count("retryable") == 1);

        assertThat(testDatabase.queryText("select failures from embedding_job")).isEqualTo("0");
        embedder.failAll(null);
        advanceUntilDone(1);
    }

    @Test
    void jobsWaitWithoutAModelAndRunWhenThereIsOne() {
        embedder.failModel(FailureCode.NO_EMBEDDING_PROVIDER);
        rememberMany(3);
        runner("a");
        clock.advanceMillis(120_000);
        assertThat(embedder.asked).isEmpty();
        assertThat(count("available")).isEqualTo(3);

        embedder.failModel(null);
        advanceUntilDone(3);
    }

    @Test
    void aRunnerThatWasRefusedManyTimesInARowGoesOn() {
        embedder.failModel(FailureCode.NOT_READY);
        rememberMany(3);
        runner("a");
        for (int refusals = 1; refusals <= 4; refusals++) {
            int expected = refusals;
            Await.until("it was refused " + expected + " times", () -> {
                clock.advanceMillis(1_000);
                return embedder.modelQuestions() >= expected;
            });
        }

        embedder.failModel(null);
        advanceUntilDone(3);
    }

    @Test
    void aNotificationIsHeardAgainAfterTroubleIsOver() {
        JobRunner runner = runner("a");
        embedder.failAll(FailureCode.EMBEDDING_UNAVAILABLE);
        remember("first", null);
        Await.until("there was trouble", () -> count("retryable") == 1);
        embedder.failAll(null);
        advanceUntilDone(1);

        remember("second", null);
        runner.wake();
        awaitJobs("done", 2);
    }

    @Test
    void aJobThatIsStillOursThoughNobodyWorksOnItRunsAgainAtNoCost() {
        embedder.fail("given up", FailureCode.CANCELLED);
        remember("given up", null);
        runner("a");
        Await.until("it was given up", () -> embedder.timesAsked("given up") == 1);
        embedder.mend("given up");

        // Well before its lease has run out.
        for (int i = 0; i < 10 && count("done") == 0; i++) {
            clock.advanceMillis(1_000);
            Await.until("the poll is over", () -> clock.pending() == 2);
        }

        awaitJobs("done", 1);
        assertThat(testDatabase.queryText("select failures || ' ' || attempt from embedding_job"))
                .isEqualTo("0 2");
    }

    @Test
    void whatAClaimTookWhoseAnswerWasLostIsGivenBackByTheNext() {
        rememberMany(3);
        JobTable table = table("a");
        ClaimedJob held =
                Await.result(table.claim(1, 1 << 20, 60_000, List.of())).get(0);
        assertThat(Await.result(table.claim(2, 1 << 20, 60_000, List.of(held.id()))))
                .hasSize(2);
        assertThat(Await.result(table("b").claim(8, 1 << 20, 60_000, List.of())))
                .isEmpty();

        assertThat(Await.result(table.claim(1, 1 << 20, 60_000, List.of(held.id()))))
                .isEmpty();

        assertThat(count("running")).isOne();
        assertThat(Await.result(table.claim(8, 1 << 20, 60_000, List.of(held.id()))))
                .hasSize(2);
    }

    @Test
    void aLeaseThatRunsOutInTheHandsOfALivingRunnerDoesNotCount() {
        remember("text", null);
        JobTable table = table("a");
        assertThat(Await.result(table.claim(1, 1 << 20, 60_000, List.of()))).hasSize(1);
        clock.advanceMillis(60_001);

        assertThat(Await.result(table.rescue(1, 1_000, 300_000, (job, memory, code) -> {})))
                .isOne();

        assertThat(testDatabase.queryText("select state || ' ' || failures || ' ' || errors from embedding_job"))
                .isEqualTo("retryable 0 []");
    }

    @Test
    void whatFailsForGoodIsPublishedWithoutItsText() {
        List<JsonObject> events = new CopyOnWriteArrayList<>();
        MessageConsumer<JsonObject> consumer =
                vertx.eventBus().consumer(RecallEvents.EVENTS, message -> events.add(message.body()));
        Await.result(consumer.completion());
        embedder.fail("big", FailureCode.WORK_TOO_LARGE);
        UUID id = remember("big", null);
        JobRunner runner = runner("a");
        awaitJobs("failed", 1);
        Await.result(runner.stop(soon()));
        remember("kills", null);
        Await.result(table("dead").claim(1, 1 << 20, 60_000, List.of()));
        clock.advanceMillis(60_001);
        List<String> codes = new ArrayList<>();
        Await.result(table("b").rescue(1, 1_000, 300_000, (job, memory, code) -> codes.add(code)));

        Await.until("it is published", () -> !events.isEmpty());
        assertThat(events.get(0))
                .isEqualTo(new JsonObject()
                        .put("type", "job-failed")
                        .put("job", events.get(0).getLong("job"))
                        .put("memory_id", id.toString())
                        .put("code", "work-too-large"));
        assertThat(codes).containsExactly("lease-expired");
        Await.result(consumer.unregister());
    }

    @Test
    void aResultForContentThatChangedMeanwhileCommitsNothing() {
        embedder.hold("old");
        UUID id = rememberAs("e", "old");
        JobRunner runner = runner("a");
        Await.until("old is embedding", () -> embedder.asked.contains("old"));

        rememberAs("e", "new");
        embedder.release("old");
        runner.wake();
        awaitJobs("done", 1);

        assertThat(count("cancelled")).isOne();
        assertThat(embedder.asked).containsExactly("old", "new");
        assertThat(testDatabase.queryText("select count(*) from memory_vector v join memory m on m.id = v.memory_id"
                        + " and m.content_hash = v.content_hash where m.id = '" + id + "'"))
                .isEqualTo("1");
    }

    @Test
    void aResultForADeletedMemoryCommitsNothing() {
        embedder.hold("gone");
        UUID id = remember("gone", null);
        JobRunner runner = runner("a");
        Await.until("it is embedding", () -> embedder.asked.contains("gone"));

        Await.result(store.delete(SCOPE, id, soon()));
        embedder.release("gone");
        Await.result(runner.stop(soon()));

        assertThat(testDatabase.queryText("select count(*) from memory_vector")).isEqualTo("0");
        assertThat(vectors.replaced).isEmpty();
    }

    @Test
    void aResultOfAModelThatWasReplacedIsNotFiledUnderEither() {
        embedder.hold("text");
        remember("text", null);
        JobTable table = table("a");
        JobOptions options = JobOptions.defaults("a");
        JobExecution execution = new JobExecution(
                new PassageEmbedder(embedder, model, SystemClock.INSTANCE, options),
                new OutcomeWriter(table, commits("a"), model),
                () -> RecallSettings.DEFAULTS,
                new JobExecution.Context(
                        new Random(1),
                        new TroubleLog(LoggerFactory.getLogger(JobRunnerTest.class), clock, "over"),
                        (lost, memory, code) -> {},
                        new SimpleMeterRegistry().counter("incomplete")));
        ClaimedJob job =
                Await.result(table.claim(1, 1 << 20, 60_000, List.of())).get(0);
        Future<JobExecution.Outcome> late = execution.run(job, new CancelSignal());
        embedder.releaseThenModel("text", "f2");

        assertThat(Await.result(late)).isEqualTo(JobExecution.Outcome.DROPPED);
        assertThat(testDatabase.queryText("select count(*) from memory_vector")).isEqualTo("0");
        assertThat(count("available")).isOne();
        assertThat(testDatabase.queryText("select failures from embedding_job")).isEqualTo("0");
    }

    @Test
    void aLeaseThatRanOutIsRescuedAndItsLateResultCommitsNothing() {
        remember("text", null);
        JobTable dead = table("dead");
        JobTable alive = table("alive");
        ClaimedJob lost =
                Await.result(dead.claim(1, 1 << 20, 60_000, List.of())).get(0);
        var passages = List.of(new EmbeddedJob.EmbeddedPassage(ScriptedEmbedder.VECTOR, false));

        clock.advanceMillis(60_001);
        // Not rescued yet, but no longer the dead one's to finish.
        assertThat(Await.result(commits("dead").one(new EmbeddedJob(lost, "f1", passages))))
                .isEqualTo(JobCommits.Result.GONE);
        assertThat(Await.result(alive.rescue(5, 1_000, 300_000, (job, memory, code) -> {})))
                .isOne();
        assertThat(Await.result(alive.claim(1, 1 << 20, 60_000, List.of()))).isEmpty();
        clock.advanceMillis(1_000);
        ClaimedJob taken =
                Await.result(alive.claim(1, 1 << 20, 60_000, List.of())).get(0);

        assertThat(Await.result(dead.renew(List.of(lost), 60_000))).isEmpty();
        assertThat(Await.result(commits("dead").one(new EmbeddedJob(lost, "f1", passages))))
                .isEqualTo(JobCommits.Result.GONE);
        assertThat(Await.result(dead.setBack(List.of(lost), List.of(new JobTable.SetBack(true, true, 0, "x", "x")))))
                .isEmpty();
        assertThat(Await.result(commits("alive").one(new EmbeddedJob(taken, "f1", passages))))
                .isEqualTo(JobCommits.Result.DONE);
        assertThat(Await.result(commits("alive").one(new EmbeddedJob(taken, "f1", passages))))
                .isEqualTo(JobCommits.Result.GONE);
        assertThat(taken.attempt()).isEqualTo(2);
        assertThat(testDatabase.queryText("select count(*) from memory_vector")).isEqualTo("1");
        assertThat(testDatabase.queryText("select errors -> 0 ->> 'code' from embedding_job"))
                .isEqualTo("lease-expired");
    }

    @Test
    void aLeaseIsRenewedWhileItsWorkRuns() {
        embedder.hold("slow");
        remember("slow", null);
        runner("a");
        Await.until("it is embedding", () -> embedder.asked.contains("slow"));

        for (int i = 0; i < 6; i++) {
            // Both its timers are armed again: the poll and the renewal, which is armed only once it has renewed.
            Await.until("it is at rest", () -> clock.pending() == 2);
            clock.advanceMillis(20_000);
            Await.until("it is at rest again", () -> clock.pending() == 2);
            assertThat(testDatabase.queryText(
                            "select lease_until > '" + clock.instant().plusSeconds(19) + "' from embedding_job"))
                    .isEqualTo("t");
        }
        embedder.release("slow");
        awaitJobs("done", 1);
        assertThat(embedder.asked).containsExactly("slow");
    }

    @Test
    void workOfARunnerThatDiedIsDoneOnceByAnother() {
        rememberMany(4);
        assertThat(Await.result(table("killed").claim(4, 1 << 20, 60_000, List.of())))
                .hasSize(4);
        runner("b");
        clock.advanceMillis(59_000);
        assertThat(embedder.asked).isEmpty();

        advanceUntilDone(4);
        assertThat(embedder.asked).hasSize(4).doesNotHaveDuplicates();
    }

    @Test
    void stoppingLetsRunningWorkFinish() {
        embedder.hold("slow");
        remember("slow", null);
        JobRunner runner = runner("a");
        Await.until("it is embedding", () -> embedder.asked.contains("slow"));

        Future<Void> stopped = runner.stop(soon());
        remember("later", null);
        runner.wake();
        assertThat(stopped.isComplete()).isFalse();
        embedder.release("slow");
        Await.result(stopped);

        assertThat(count("done")).isOne();
        assertThat(count("available")).isOne();
        assertThat(embedder.asked).containsExactly("slow");
        assertThat(runner.stop(soon()).succeeded() || Await.result(runner.stop(soon())) == null)
                .isTrue();
    }

    @Test
    void stoppingGivesBackWhatDoesNotFinishInTime() {
        embedder.hold("slow");
        remember("slow", null);
        JobRunner runner = runner("a");
        Await.until("it is embedding", () -> embedder.asked.contains("slow"));

        Future<Void> stopped = runner.stop(Deadline.afterMillis(clock, 5_000));
        // Other timers are pending too, so their number does not tell when the drain has armed its own.
        Await.until("the bound of the drain has passed", () -> {
            clock.advanceMillis(5_000);
            return stopped.isComplete();
        });
        Await.result(stopped);

        // The bound on giving back may have passed before the database has answered.
        awaitJobs("available", 1);
        assertThat(testDatabase.queryText("select failures || ' ' || attempt from embedding_job"))
                .isEqualTo("0 1");
    }

    @Test
    void whatIsStillBeingCommittedWhenARunnerGivesUpCommitsNothing() throws SQLException {
        UUID id = remember("slow to commit", null);
        Future<Void> stopped;
        try (Connection writer = testDatabase.jdbc();
                Statement statement = writer.createStatement()) {
            writer.setAutoCommit(false);
            statement.execute("select from memory where id = '" + id + "' for update");
            JobRunner runner = runner("a");
            Await.until("its commit waits for the writer", () -> testDatabase
                    .queryText("select count(*) from pg_stat_activity"
                            + " where datname = current_database() and wait_event_type = 'Lock'")
                    .equals("1"));

            stopped = runner.stop(Deadline.afterMillis(clock, 1_000));
            Await.until("the bound of the drain has passed, and the lease is given back", () -> {
                clock.advanceMillis(1_000);
                return count("available") == 1;
            });
            assertThat(Await.result(table("b").claim(1, 1 << 20, 60_000, List.of())))
                    .hasSize(1);
            writer.commit();
        }
        Await.result(stopped);
        Await.until("nothing is open any more", () -> testDatabase
                .queryText("select count(*) from pg_stat_activity where datname = current_database()"
                        + " and state <> 'idle' and pid <> pg_backend_pid()")
                .equals("0"));

        assertThat(testDatabase.queryText("select state || attempt || leased_by from embedding_job"))
                .isEqualTo("running2b");
        assertThat(vectorsOf("f1")).isZero();
        assertThat(vectors.committed).isEmpty();
    }

    @Test
    void aRunnerHoldsNoMoreContentThanItsBoundAndGoesOnAsItEnds() {
        rememberMany(30);
        embedder.holdAll();
        // Nine characters each, and one beyond the bound.
        runner(new JobOptions("a", 8, 25, 600_000, 24 * 3_600_000L));
        Await.until("three are in flight", () -> embedder.asked.size() == 3);
        assertThat(count("running")).isEqualTo(3);

        embedder.releaseAll();
        // No time passes, so one claim follows from the other.
        awaitJobs("done", 30);
    }

    @Test
    void anotherModelEmbedsWhatHasNoVectorOfIt() {
        rememberMany(3);
        runner("a");
        awaitJobs("done", 3);

        embedder.model("f2");
        for (int i = 0; i < 4 && vectorsOf("f2") < 3; i++) {
            clock.advanceMillis(20_000);
            awaitJobs("running", 0);
        }
        Await.until("all have the new vector", () -> vectorsOf("f2") == 3);
        assertThat(vectorsOf("f1")).isEqualTo(3);
        assertThat(Await.result(new JobReports(database, DatabaseTime.of(clock), model).report(SCOPE, soon()))
                        .reembedding())
                .isEqualTo(new JobReport.Reembedding("f2", 3, 3, 3, 0));
    }

    @Test
    void jobsForAnotherModelAreOpenedAsFastAsTheyAreDone() {
        manyWithVectorsOf("f1", 1_300);
        embedder.model("f2");
        runner("a");

        // No time passes on the fake clock, so no round of upkeep and no poll is due: one step follows from the other.
        Await.until("all have the new vector", () -> vectorsOf("f2") == 1_300);
        assertThat(clock.instant()).isEqualTo(new FakeClock().instant());
    }

    @Test
    void aStepOpensNoMoreJobsThanAPageHasMemories() {
        manyWithVectorsOf("f1", 1_300);
        embedder.holdAll();
        embedder.model("f2");
        runner("a");

        Await.until("the first are embedding", () -> embedder.asked.size() == 8);
        assertThat(count("available")).isEqualTo(Reembedding.PAGE - 8);
        JobReport.Reembedding progress = Await.result(
                        new JobReports(database, DatabaseTime.of(clock), model).report(SCOPE, soon()))
                .reembedding();
        assertThat(progress).isEqualTo(new JobReport.Reembedding("f2", 1_300, 0, 0, 0));
    }

    @Test
    void vectorsOfOtherModelsGoOnceAllHaveOneOfTheActiveAndTheYoungestIsOldEnough() {
        manyWithVectorsOf("f1", 3);
        embedder.model("f2");
        runner("a");
        rounds(() -> vectorsOf("f2") == 3);
        rounds(() -> roundsRun() >= 40);
        assertThat(vectorsOf("f1")).as("another node may still serve it").isEqualTo(3);

        testDatabase.execute(
                "update memory_vector set created_at = now() - interval '1 hour' where fingerprint = 'f1'");
        rounds(() -> vectorsOf("f1") == 0);

        assertThat(vectorsOf("f2")).isEqualTo(3);
        assertThat(vectors.removed).as("caches are told").hasSize(3);
        embedder.model("f1");
        rounds(() -> vectorsOf("f1") == 3);
    }

    @Test
    void vectorsOfOtherModelsStayWhileAMemoryWaitsAndWithAMemoryThatFailed() {
        manyWithVectorsOf("f1", 4);
        testDatabase.execute("update memory_vector set created_at = now() - interval '2 hours'");
        embedder.hold("memory 1");
        embedder.fail("memory 2", FailureCode.WORK_TOO_LARGE);
        embedder.model("f2");
        runner("a");
        rounds(() -> vectorsOf("f2") == 2);
        rounds(() -> roundsRun() >= 40);
        assertThat(vectorsOf("f1")).isEqualTo(4);

        embedder.release("memory 1");
        rounds(() -> vectorsOf("f1") == 1);
        assertThat(vectorsOf("f2")).isEqualTo(3);
    }

    @Test
    void aLongMemoryIsEmbeddedPassageByPassageAndAgainForAnotherModel() {
        UUID id = rememberAs("e", LONG);
        remember("short", null);
        runner("a");
        awaitJobs("done", 2);
        Memory first = memory(id);
        assertThat(first.state()).isEqualTo(MemoryState.EMBEDDED);
        assertThat(first.passages()).isEqualTo(passagesOf(id, "f1")).isGreaterThan(3);
        assertThat(reembedding()).isEqualTo(new JobReport.Reembedding("f1", 2, 2, first.passages() + 1, 0));

        // With a window of a quarter, so it takes more passages, and they may not mix.
        embedder.model("f2", 128);
        rounds(() -> reembedding().fingerprint().equals("f2") && reembedding().remaining() == 0);
        Memory second = memory(id);
        assertThat(second.passages()).isEqualTo(passagesOf(id, "f2")).isGreaterThan(2 * first.passages());
        assertThat(reembedding().passages()).isEqualTo(second.passages() + 1);
        assertThat(passagesOf(id, "f1")).isEqualTo(first.passages());

        testDatabase.execute(
                "update memory_vector set created_at = now() - interval '2 hours' where fingerprint = 'f1'");
        rounds(() -> vectorsOf("f1") == 0);
        assertThat(memory(id)).isEqualTo(second);
    }

    @Test
    void changedContentReplacesAllPassagesAndDeletionRemovesThem() {
        UUID id = rememberAs("e", LONG);
        runner("a");
        awaitJobs("done", 1);
        assertThat(memory(id).passages()).isGreaterThan(3);

        rememberAs("e", LONG + " Changed.");
        assertThat(memory(id).state()).as("nothing of the old content is left").isEqualTo(MemoryState.PENDING);
        assertThat(memory(id).passages()).isZero();
        assertThat(passagesOf(id, "f1")).isZero();
        runners.forEach(JobRunner::wake);
        awaitJobs("done", 2);
        rememberAs("e", "short");
        runners.forEach(JobRunner::wake);
        awaitJobs("done", 3);
        assertThat(memory(id).passages()).isOne();
        assertThat(passagesOf(id, "f1")).isOne();

        rememberAs("e", LONG);
        runners.forEach(JobRunner::wake);
        awaitJobs("done", 4);
        Await.result(store.delete(SCOPE, id, soon()));
        assertThat(vectorsOf("f1")).isZero();
    }

    @Test
    void aMemoryWithAPassageMissingDoesNotPassForEmbeddedAndIsEmbeddedAgain() {
        UUID id = rememberAs("e", LONG);
        runner("a");
        awaitJobs("done", 1);
        Memory whole = memory(id);
        testDatabase.execute(
                "insert into memory_vector (memory_id, fingerprint, owner, project, content_hash, dimensions,"
                        + " vector, created_at) select memory_id, 'f0', owner, project, content_hash, dimensions, vector,"
                        + " now() - interval '2 hours' from memory_vector where passage = 0");

        testDatabase.execute("delete from memory_vector where passage = 2");
        embedder.holdAll();

        assertThat(memory(id).state()).isEqualTo(MemoryState.PENDING);
        assertThat(memory(id).passages()).isZero();
        assertThat(reembedding()).isEqualTo(new JobReport.Reembedding("f1", 1, 0, 0, 0));
        rounds(() -> count("running") == 1);
        rounds(() -> roundsRun() >= 40);
        assertThat(vectorsOf("f0"))
                .as("the old model's, while the new one's are incomplete")
                .isOne();
        embedder.releaseAll();
        rounds(() -> memory(id).equals(whole));
        rounds(() -> vectorsOf("f0") == 0);
    }

    @Test
    void passagesOfAnotherModelAreRemovedTogetherOrNotAtAll() throws SQLException {
        UUID id = rememberAs("e", LONG);
        UUID other = rememberAs("f", LONG + " Another one.");
        runner("a");
        awaitJobs("done", 2);
        int passages = passagesOf(id, "f1");
        testDatabase.execute(
                "insert into memory_vector (memory_id, fingerprint, owner, project, content_hash, dimensions,"
                        + " vector) select memory_id, 'f2', owner, project, content_hash, dimensions, vector"
                        + " from memory_vector where passage = 0");
        VectorTable table = new VectorTable(database, vectors, SystemClock.INSTANCE, DatabaseTime.of(clock));
        try (Connection reader = testDatabase.jdbc();
                Statement statement = reader.createStatement()) {
            reader.setAutoCommit(false);
            // As the index with pgvector does, which reads a page of vectors that it does not have yet.
            statement.execute("select from memory_vector where memory_id = '" + id
                    + "' and fingerprint = 'f1' and passage = 1 for key share");

            VectorTable.Removals removals = Await.result(table.removeOthers("f2", new UUID(0, 0), 10, 0));

            assertThat(removals.memories()).isEqualTo(2);
            assertThat(removals.removed()).isGreaterThan(3);
            assertThat(passagesOf(id, "f1")).isEqualTo(passages);
            assertThat(passagesOf(other, "f1")).isZero();
            assertThat(vectors.removed).containsExactly(other);
            reader.commit();
        }

        assertThat(Await.result(table.removeOthers("f2", new UUID(0, 0), 10, 0)).removed())
                .isEqualTo(passages);
        assertThat(passagesOf(id, "f2")).isOne();
    }

    @Test
    void textThatNoPassageHoldsIsShownOnItsMemoryAndCounted() {
        embedder.window(20);
        UUID cut = remember("Pneumonoultramicroscopicsilicovolcanoconiosis", null);
        UUID whole = remember("short", null);
        runner("a");
        awaitJobs("done", 2);

        assertThat(memory(cut).state()).isEqualTo(MemoryState.EMBEDDED);
        assertThat(memory(cut).incomplete()).isTrue();
        assertThat(memory(whole).incomplete()).isFalse();
        assertThat(reembedding().incomplete()).isOne();
        assertThat(Await.result(store.list(SCOPE, new MemoryQuery(null, null, null, 10, null), soon()))
                        .memories())
                .containsExactly(memory(whole), memory(cut));
    }

    private Memory memory(UUID id) {
        return Await.result(store.get(SCOPE, id, soon()));
    }

    private JobReport.Reembedding reembedding() {
        return Objects.requireNonNull(
                Await.result(new JobReports(database, DatabaseTime.of(clock), model).report(SCOPE, soon()))
                        .reembedding());
    }

    private static int passagesOf(UUID id, String fingerprint) {
        return Integer.parseInt(testDatabase.queryText("select count(*) from memory_vector where fingerprint = '"
                + fingerprint + "' and memory_id = '" + id + "'"));
    }

    @Test
    void whatANodeOfAnotherModelFinishesLaterIsEmbeddedToo() {
        manyWithVectorsOf("f1", 2);
        embedder.model("f2");
        runner("a");
        rounds(() -> vectorsOf("f2") == 2);

        manyWithVectorsOf("f1", 3);

        rounds(() -> vectorsOf("f2") == 5);
    }

    /** Memories as a node with this model leaves them: with their vectors and without jobs. */
    private static void manyWithVectorsOf(String fingerprint, int count) {
        testDatabase.execute(
                "with written as (insert into memory (id, owner, kind, content, content_hash, words, word_count)"
                        + " select gen_random_uuid(), 'owner', 'note', 'memory ' || i, sha256(('memory ' || i)::bytea), '', 1"
                        + " from generate_series(1, " + count + ") i returning id, content_hash)"
                        + " insert into memory_vector (memory_id, fingerprint, owner, project, content_hash, dimensions, vector)"
                        + " select id, '" + fingerprint
                        + "', 'owner', '', content_hash, 1, '\\x00000000'::bytea from written");
    }

    private int roundsRun;

    private int roundsRun() {
        return roundsRun;
    }

    /** Lets rounds of upkeep pass until this holds. */
    private void rounds(BooleanSupplier holds) {
        roundsRun = 0;
        Await.until("it holds after some rounds", () -> {
            if (!holds.getAsBoolean() && clock.pending() >= 1) {
                roundsRun++;
                clock.advanceMillis(20_000);
            }
            return holds.getAsBoolean();
        });
    }

    @Test
    void finishedJobsArePrunedAndFailedOnesStay() {
        embedder.fail("big", FailureCode.WORK_TOO_LARGE);
        remember("big", null);
        rememberMany(3);
        runner("a");
        awaitJobs("done", 3);
        awaitJobs("failed", 1);

        clock.advance(Duration.ofHours(25));
        assertThat(Await.result(table("x").prune())).isLessThanOrEqualTo(3);
        awaitJobs("done", 0);
        assertThat(count("failed")).isOne();
    }

    @Test
    void aMemoryThatIsBeingRemovedGetsNoJobAndHoldsUpNoOther() throws SQLException {
        UUID going = remember("going", null);
        UUID staying = remember("staying", null);
        testDatabase.execute("delete from embedding_job");
        VectorTable table = new VectorTable(database, vectors, SystemClock.INSTANCE, DatabaseTime.of(clock));
        try (Connection remover = testDatabase.jdbc();
                Statement statement = remover.createStatement()) {
            remover.setAutoCommit(false);
            statement.execute("delete from memory where id = '" + going + "'");

            assertThat(Await.result(table.backfill("f1", new UUID(0, 0), 100)).opened())
                    .isOne();
            remover.commit();
        }

        assertThat(testDatabase.queryText("select string_agg(memory_id::text, ' ') from embedding_job"))
                .isEqualTo(staying.toString());
    }

    @Test
    void failedJobsThatNobodyCanRetryArePrunedToo() {
        embedder.fail("bad", FailureCode.WORK_TOO_LARGE);
        embedder.fail("worse", FailureCode.WORK_TOO_LARGE);
        UUID replaced = remember("bad", null);
        remember("worse", null);
        runner("a");
        awaitJobs("failed", 2);
        testDatabase.execute("update memory set content_hash = sha256('other') where id = '" + replaced + "'");

        assertThat(Await.result(table("x").prune())).isZero();
        clock.advance(Duration.ofHours(25));
        Await.result(table("x").prune());

        // The other one still waits for its operator.
        assertThat(testDatabase.queryText("select string_agg(m.content, ' ') from embedding_job j join memory m"
                        + " on m.id = j.memory_id where j.state = 'failed'"))
                .isEqualTo("worse");
    }

    @Test
    void aJobKeepsItsTwentyNewestErrorsHoweverOftenItIsRetried() {
        remember("poison", null);
        embedder.fail("poison", FailureCode.WORK_TOO_LARGE);
        JobRunner runner = runner("a");
        JobReports jobs = new JobReports(database, DatabaseTime.of(clock), model);
        for (int attempt = 1; attempt < 30; attempt++) {
            awaitJobs("failed", 1);
            assertThat(Await.result(jobs.retryFailed(SCOPE, soon()))).isOne();
            runner.wake();
        }
        awaitJobs("failed", 1);

        assertThat(testDatabase.queryText(
                        "select jsonb_array_length(errors) || ' ' || (errors -> 0 ->> 'attempt') || ' ' ||"
                                + " (errors -> -1 ->> 'attempt') from embedding_job"))
                .isEqualTo("20 11 30");
    }

    private JobRunner runner(String holder) {
        return runner(JobOptions.defaults(holder).withConcurrency(8));
    }

    private JobRunner runner(JobOptions options) {
        JobRunner runner = JobRunner.create(
                vertx,
                new JobRunner.Stores(database, vectors),
                embedder,
                model,
                new JobRunner.Parts(
                        // Statements take real time; leases, waits and polls take the fake clock's.
                        SystemClock.INSTANCE,
                        clock,
                        DatabaseTime.of(clock),
                        () -> RecallSettings.DEFAULTS,
                        new Random(1),
                        new SimpleMeterRegistry()),
                options);
        runners.add(runner);
        runner.start();
        return runner;
    }

    private JobTable table(String holder) {
        return new JobTable(database, SystemClock.INSTANCE, DatabaseTime.of(clock), JobOptions.defaults(holder));
    }

    private JobCommits commits(String holder) {
        return new JobCommits(
                database, vectors, SystemClock.INSTANCE, DatabaseTime.of(clock), JobOptions.defaults(holder));
    }

    private UUID remember(String content, @Nullable String author) {
        UUID id = Await.result(store.remember(SCOPE, List.of(draft(content, author, null)), soon()))
                .get(0)
                .id();
        runners.forEach(JobRunner::wake);
        return id;
    }

    private UUID rememberAs(String externalId, String content) {
        return Await.result(store.remember(SCOPE, List.of(draft(content, null, externalId)), soon()))
                .get(0)
                .id();
    }

    private void rememberMany(int count) {
        List<MemoryDraft> drafts = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            drafts.add(draft("memory " + i, null, null));
        }
        Await.result(store.remember(SCOPE, drafts, soon()));
    }

    private static MemoryDraft draft(String content, @Nullable String author, @Nullable String externalId) {
        return new MemoryDraft(content, MemoryKind.NOTE, null, author, null, null, false, externalId, new JsonObject());
    }

    private void advanceUntilDone(int jobs) {
        advanceUntil("done", jobs);
    }

    /** Lets time pass in steps until so many jobs are in the state. */
    private void advanceUntil(String state, int jobs) {
        for (int step = 0; step < 60 && count(state) < jobs; step++) {
            clock.advanceMillis(5_000);
            // Each look takes a round trip: time enough for what has come due to get on.
            for (int look = 0; look < 30 && count(state) < jobs; look++) {
                Thread.onSpinWait();
            }
        }
        awaitJobs(state, jobs);
    }

    private void awaitJobs(String state, int jobs) {
        Await.until(jobs + " jobs are " + state, () -> count(state) == jobs);
    }

    private static int count(String state) {
        return Integer.parseInt(
                testDatabase.queryText("select count(*) from embedding_job where state = '" + state + "'"));
    }

    private static int vectorsOf(String fingerprint) {
        return Integer.parseInt(
                testDatabase.queryText("select count(*) from memory_vector where fingerprint = '" + fingerprint + "'"));
    }

    private Deadline soon() {
        return Deadline.afterMillis(clock, 3_600_000);
    }
}
