package io.recallgate.recall.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import io.recallgate.failure.FailureCode;
import io.recallgate.recall.Await;
import io.recallgate.recall.api.JobReport;
import io.recallgate.recall.api.MemoryState;
import io.recallgate.recall.api.Scope;
import io.recallgate.recall.bus.RecallEvents;
import io.vertx.core.eventbus.MessageConsumer;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

/** Jobs whose embedding fails: whose fault it is, what it costs, and what an operator sees and can do. */
class JobFailuresTest extends JobsTest {

    @Test
    void aPoisonousTextFailsWithItsHistoryAndTheOthersProceed() {
        embedder.fail("poison", FailureCode.EMBEDDING_FAILED);
        UUID poison = remember("poison", null);
        rememberMany(5);
        runner("a");
        awaitJobs("done", 5);

        advanceUntil("failed", 1);
        assertThat(embedder.timesAsked("poison")).isEqualTo(5);

        JobReport report = report();
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
        JobReport report = report();
        assertThat(report.errors()).extracting(JobReport.JobError::code).containsExactly("embedding-given-up");
        assertThat(Await.result(store.get(SCOPE, poison, soon())).state()).isEqualTo(MemoryState.FAILED);
    }

    @Test
    void anOperatorCanRetryWhatFailedButOnlyTheirOwn() {
        UUID id = remember("big", null);
        embedder.fail("big", FailureCode.WORK_TOO_LARGE);
        runner("a");
        awaitJobs("failed", 1);
        embedder.fail("big", FailureCode.OVERLOADED);
        JobReports jobs = reports();

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
        assertThat(text("select max(failures) from embedding_job")).isEqualTo("0");
        assertThat(text("select count(*) from embedding_job where errors <> '[]'"))
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

        assertThat(text("select failures from embedding_job")).isEqualTo("0");
        embedder.failAll(null);
        advanceUntilDone(1);
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
        assertThat(text("select string_agg(m.content, ' ') from embedding_job j join memory m"
                        + " on m.id = j.memory_id where j.state = 'failed'"))
                .isEqualTo("worse");
    }

    @Test
    void aJobKeepsItsTwentyNewestErrorsHoweverOftenItIsRetried() {
        remember("poison", null);
        embedder.fail("poison", FailureCode.WORK_TOO_LARGE);
        JobRunner runner = runner("a");
        JobReports jobs = reports();
        for (int attempt = 1; attempt < 30; attempt++) {
            awaitJobs("failed", 1);
            assertThat(Await.result(jobs.retryFailed(SCOPE, soon()))).isOne();
            runner.wake();
        }
        awaitJobs("failed", 1);

        assertThat(text("select jsonb_array_length(errors) || ' ' || (errors -> 0 ->> 'attempt') || ' ' ||"
                        + " (errors -> -1 ->> 'attempt') from embedding_job"))
                .isEqualTo("20 11 30");
    }
}
