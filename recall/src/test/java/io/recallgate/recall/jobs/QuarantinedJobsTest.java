package io.recallgate.recall.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import io.recallgate.failure.FailureCode;
import io.recallgate.recall.Await;
import org.junit.jupiter.api.Test;

/** Jobs whose text the pool keeps in quarantine: they wait with their lease and take nobody's place. */
class QuarantinedJobsTest extends JobsTest {

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
            assertThat(text("select state || ' ' || attempt || ' ' || failures || ' '" + " || (lease_until > '"
                            + clock.instant() + "') from embedding_job"))
                    .isEqualTo("running 1 0 true");
        }
        assertThat(embedder.timesAsked("stuck"))
                .as("ten minutes of waits that double from one second")
                .isBetween(5L, 15L);

        embedder.mend("stuck");
        advanceUntilDone(1);
        assertThat(text("select attempt || ' ' || failures || ' ' || errors from embedding_job"))
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
        assertThat(text("select max(attempt) from embedding_job")).isEqualTo("1");
    }

    @Test
    void aQuarantinedTextIsGivenBackWhenItsRunnerStops() {
        embedder.fail("stuck", FailureCode.QUARANTINED);
        remember("stuck", null);
        JobRunner runner = runner("a");
        Await.until("it was asked", () -> embedder.timesAsked("stuck") == 1);
        Await.until("it is parked", () -> clock.pending() == 3);

        Await.result(runner.stop(soon()));

        assertThat(text("select state || ' ' || failures from embedding_job")).isEqualTo("available 0");
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
}
