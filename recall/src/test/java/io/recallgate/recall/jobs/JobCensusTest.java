package io.recallgate.recall.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.recallgate.recall.Await;
import io.recallgate.recall.MemoryFixture;
import io.recallgate.recall.RealDatabaseTest;
import io.recallgate.recall.api.Scope;
import io.recallgate.recall.database.DatabaseTime;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Counts on a real database; rounds and ages pass on a fake clock. */
class JobCensusTest extends RealDatabaseTest {

    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private JobCensus census;

    @BeforeEach
    void make() {
        census = new JobCensus(vertx, database, clock, clock, DatabaseTime.of(clock), meters);
    }

    private void begin() {
        census.start();
        turn(0);
    }

    @AfterEach
    void nothingIsLeftBehind() {
        Await.result(census.stop());
        assertThat(clock.pending()).isZero();
    }

    @Test
    void jobsOfAllOwnersAreCountedByTheirState() {
        job("alice", "available", 10, "");
        job("alice", "available", 40, "");
        job("bob", "retryable", 95, "");
        job("bob", "running", 3, ", leased_by = 'x', lease_until = now()");
        job("bob", "failed", 500, ", finished_at = now()");
        job("bob", "done", 900, ", finished_at = now()");

        begin();

        assertThat(jobs("available")).isEqualTo(2);
        assertThat(jobs("retryable")).isEqualTo(1);
        assertThat(jobs("running")).isEqualTo(1);
        assertThat(jobs("failed")).isEqualTo(1);
        assertThat(oldest()).isBetween(94.0, 96.0);
    }

    @Test
    void theOldestAgesBetweenCountsAndTheNextCountSeesThatItIsGone() {
        job("alice", "available", 10, "");
        begin();
        assertThat(oldest()).isBetween(9.0, 11.0);

        clock.advanceMillis(5_000);
        assertThat(oldest()).isBetween(14.0, 16.0);
        testDatabase.execute("truncate memory cascade");
        turn(10_000);

        assertThat(jobs("available")).isZero();
        assertThat(oldest()).isZero();
    }

    @Test
    void beforeTheFirstCountNothingIsSaid() {
        assertThat(jobs("failed")).isNaN();
        assertThat(oldest()).isNaN();
    }

    /** Lets the time of the next round come, and waits until it is over. */
    private void turn(long millis) {
        Await.until("a round is armed", () -> clock.pending() == 1);
        clock.advanceMillis(millis);
        Await.until("it has begun and ended", () -> clock.pending() == 1);
    }

    private void job(String owner, String state, int ageSeconds, String more) {
        try (MemoryFixture fixture = new MemoryFixture(testDatabase)) {
            UUID memory = fixture.turn(new Scope(owner, ""), "text " + UUID.randomUUID());
            testDatabase.execute(
                    "insert into embedding_job (memory_id, owner, project, content_hash, created_at) select id,"
                            + " owner, project, content_hash, to_timestamp("
                            + clock.instant().getEpochSecond() + " - " + ageSeconds + ") from memory where id = '"
                            + memory
                            + "'");
            if (!state.equals("available")) {
                testDatabase.execute("alter table embedding_job disable trigger embedding_job_edge");
                testDatabase.execute("update embedding_job set state = '" + state + "'" + more + " where memory_id = '"
                        + memory + "'");
                testDatabase.execute("alter table embedding_job enable trigger embedding_job_edge");
            }
        }
    }

    private double jobs(String state) {
        return meters.get("recallgate.jobs.present").tag("state", state).gauge().value();
    }

    private double oldest() {
        return meters.get("recallgate.jobs.oldest.age.seconds").gauge().value();
    }
}
