package io.recallgate.recall.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import io.recallgate.failure.FailureCode;
import io.recallgate.recall.Await;
import io.recallgate.recall.api.MemoryState;
import io.recallgate.time.Deadline;
import io.vertx.core.Future;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** What a runner takes, in which order and how much of it at once, and how it stops. */
class JobRunnerTest extends JobsTest {

    @Test
    void whatIsRememberedIsEmbeddedWithItsAuthorInFront() {
        runner("a");
        UUID id = remember("I moved to Kyoto", "Mina");

        awaitJobs("done", 1);
        assertThat(embedder.asked).containsExactly("Mina: I moved to Kyoto");
        assertThat(Await.result(store.get(SCOPE, id, soon())).state()).isEqualTo(MemoryState.EMBEDDED);
        assertThat(text("select fingerprint || passage || dimensions || encode(vector, 'hex')" + " from memory_vector"))
                .isEqualTo("f102" + "9a99193fcdcc4c3f");
        assertThat(vectors.replaced).hasSize(1);
        // Told after the commit that others see.
        Await.until("the index is told", () -> vectors.committed.equals(List.of(SCOPE)));
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
    void aLockedMemoryKeepsItsResultAndItsLeaseAndHoldsUpNoOther() throws SQLException {
        UUID id = remember("locked", null);
        try (Connection writer = testDatabase.jdbc();
                Statement statement = writer.createStatement()) {
            writer.setAutoCommit(false);
            statement.execute("select from memory where id = '" + id + "' for update");
            JobRunner runner = runner("a");
            Await.until("it is embedded", () -> embedder.timesAsked("locked") == 1);
            rememberMany(20);
            runner.wake();
            awaitJobs("done", 20);
            // As long as a lease, less what it has waited so far; it is renewed on the way.
            for (int i = 0; i < 10; i++) {
                clock.advanceMillis(5_000);
                awaitJobs("running", 1);
                Await.until("its lease is renewed", () -> text("select lease_until > '" + clock.instant()
                                + "'::timestamptz + interval '20 s'" + " from embedding_job where state = 'running'")
                        .equals("t"));
            }
            writer.commit();
        }
        advanceUntilDone(21);

        assertThat(embedder.timesAsked("locked")).isOne();
        assertThat(text("select max(attempt) || ' ' || max(failures) from embedding_job"))
                .isEqualTo("1 0");
    }

    @Test
    void whatIsEmbeddedIsNotEmbeddedAgainWhenTheModelCannotBeAskedForAWhile() {
        embedder.holdAll();
        rememberMany(8);
        runner("a");
        Await.until("all are embedding", () -> embedder.asked.size() == 8);
        embedder.failModel(FailureCode.NOT_READY);
        int before = embedder.modelQuestions();
        embedder.releaseAll();
        Await.until("the model was asked for", () -> embedder.modelQuestions() > before);
        for (int i = 0; i < 4; i++) {
            clock.advanceMillis(2_000);
            awaitJobs("running", 8);
        }
        embedder.failModel(null);
        advanceUntilDone(8);

        assertThat(embedder.asked).hasSize(8);
    }

    @Test
    void aRunnerHoldsNoMoreContentThanItsBoundAndGoesOnAsItEnds() {
        // In whatever order they come: nine characters each, and one beyond the bound.
        rememberMany(10, 30);
        embedder.holdAll();
        runner(new JobOptions("a", 8, 25, 600_000, 24 * 3_600_000L, 0));
        Await.until("three are in flight", () -> embedder.asked.size() == 3);
        assertThat(count("running")).isEqualTo(3);

        embedder.releaseAll();
        // No time passes, so one claim follows from the other.
        awaitJobs("done", 30);
    }

    @Test
    void whatWaitsForItsCommitTakesNoPlaceAtTheEmbedderUpToAsManyAsThereArePlaces() throws SQLException {
        rememberMany(20);
        try (Connection writer = testDatabase.jdbc();
                Statement statement = writer.createStatement()) {
            writer.setAutoCommit(false);
            statement.execute("select from memory for update");
            JobRunner runner = runner("a");

            Await.until("as many again are embedded", () -> embedder.asked.size() == 16);
            for (int i = 0; i < 5; i++) {
                runner.wake();
                clock.advanceMillis(2_000);
                awaitJobs("running", 16);
            }
            assertThat(embedder.asked).hasSize(16);
            writer.commit();
        }

        advanceUntilDone(20);
        assertThat(embedder.asked).hasSize(20);
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
        assertThat(text("select failures || ' ' || attempt from embedding_job")).isEqualTo("0 1");
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
            Await.until("it is embedded", () -> embedder.timesAsked("slow to commit") == 1);

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
        Await.until(
                "nothing is open any more",
                () -> text("select count(*) from pg_stat_activity where datname = current_database()"
                                + " and state <> 'idle' and pid <> pg_backend_pid()")
                        .equals("0"));

        assertThat(text("select state || attempt || leased_by from embedding_job"))
                .isEqualTo("running2b");
        assertThat(vectorsOf("f1")).isZero();
        assertThat(vectors.committed).isEmpty();
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
}
