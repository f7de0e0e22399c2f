package io.recallgate.recall.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.recallgate.failure.FailureCode;
import io.recallgate.recall.Await;
import io.recallgate.recall.ScriptedEmbedder;
import io.recallgate.recall.api.RecallSettings;
import io.recallgate.recall.database.TroubleLog;
import io.recallgate.time.CancelSignal;
import io.recallgate.time.SystemClock;
import io.vertx.core.Future;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** Who may finish a job: leases that are renewed, lost and rescued, and results that come too late. */
class JobLeasesTest extends JobsTest {

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
            assertThat(text("select lease_until > '" + clock.instant().plusSeconds(19) + "' from embedding_job"))
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
    void aLeaseThatRanOutIsRescuedAndItsLateResultCommitsNothing() {
        remember("text", null);
        JobTable dead = table("dead");
        JobTable alive = table("alive");
        ClaimedJob lost =
                Await.result(dead.claim(1, 1 << 20, 60_000, List.of())).get(0);
        var passages = List.of(new EmbeddedJob.EmbeddedPassage(ScriptedEmbedder.VECTOR, false));

        clock.advanceMillis(60_001);
        // Not rescued yet, but no longer the dead one's to finish.
        assertThat(commit("dead", new EmbeddedJob(lost, "f1", passages))).isEqualTo(JobCommits.Result.GONE);
        assertThat(Await.result(alive.rescue(5, 1_000, 300_000, (job, memory, code) -> {})))
                .isOne();
        assertThat(Await.result(alive.claim(1, 1 << 20, 60_000, List.of()))).isEmpty();
        clock.advanceMillis(1_000);
        ClaimedJob taken =
                Await.result(alive.claim(1, 1 << 20, 60_000, List.of())).get(0);

        assertThat(Await.result(dead.renew(List.of(lost), 60_000))).isEmpty();
        assertThat(commit("dead", new EmbeddedJob(lost, "f1", passages))).isEqualTo(JobCommits.Result.GONE);
        assertThat(Await.result(dead.setBack(List.of(lost), List.of(new JobTable.SetBack(true, true, 0, "x", "x")))))
                .isEmpty();
        assertThat(commit("alive", new EmbeddedJob(taken, "f1", passages))).isEqualTo(JobCommits.Result.DONE);
        assertThat(commit("alive", new EmbeddedJob(taken, "f1", passages))).isEqualTo(JobCommits.Result.GONE);
        assertThat(taken.attempt()).isEqualTo(2);
        assertThat(text("select count(*) from memory_vector")).isEqualTo("1");
        assertThat(text("select errors -> 0 ->> 'code' from embedding_job")).isEqualTo("lease-expired");
    }

    @Test
    void aLeaseThatRunsOutInTheHandsOfALivingRunnerDoesNotCount() {
        remember("text", null);
        JobTable table = table("a");
        assertThat(Await.result(table.claim(1, 1 << 20, 60_000, List.of()))).hasSize(1);
        clock.advanceMillis(60_001);

        assertThat(Await.result(table.rescue(1, 1_000, 300_000, (job, memory, code) -> {})))
                .isOne();

        assertThat(text("select state || ' ' || failures || ' ' || errors from embedding_job"))
                .isEqualTo("retryable 0 []");
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
        assertThat(text("select failures || ' ' || attempt from embedding_job")).isEqualTo("0 2");
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
        assertThat(text("select count(*) from memory_vector v join memory m on m.id = v.memory_id"
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

        assertThat(text("select count(*) from memory_vector")).isEqualTo("0");
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
                new OutcomeWriter(table, commits("a"), model, new OutcomeWriter.Patience(clock, 0, () -> 60_000)),
                () -> RecallSettings.DEFAULTS,
                new JobExecution.Context(
                        new Random(1),
                        new TroubleLog(LoggerFactory.getLogger(JobLeasesTest.class), clock, "over"),
                        (lost, memory, code) -> {},
                        new SimpleMeterRegistry().counter("incomplete")));
        ClaimedJob job =
                Await.result(table.claim(1, 1 << 20, 60_000, List.of())).get(0);
        Future<JobExecution.Outcome> late = execution.run(job, new CancelSignal(), () -> {});
        embedder.releaseThenModel("text", "f2");

        assertThat(Await.result(late)).isEqualTo(JobExecution.Outcome.DROPPED);
        assertThat(text("select count(*) from memory_vector")).isEqualTo("0");
        assertThat(count("available")).isOne();
        assertThat(text("select failures from embedding_job")).isEqualTo("0");
    }

    private JobCommits.Result commit(String holder, EmbeddedJob job) {
        return Await.result(commits(holder).group(List.of(job))).get(0);
    }
}
