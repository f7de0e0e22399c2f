package io.recallgate.recall.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import io.recallgate.failure.FailureCode;
import io.recallgate.recall.Await;
import io.recallgate.recall.api.JobReport;
import io.recallgate.recall.database.DatabaseTime;
import io.recallgate.time.FakeClock;
import io.recallgate.time.SystemClock;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Another model embeds what has no vector of it, and the vectors of the one before go in the end. */
class ReembeddingTest extends JobsTest {

    @Test
    void anotherModelEmbedsWhatHasNoVectorOfIt() {
        rememberMany(3);
        runner("a");
        awaitJobs("done", 3);

        embedder.model("f2");
        rounds(() -> vectorsOf("f2") == 3);
        assertThat(vectorsOf("f1")).isEqualTo(3);
        assertThat(report().reembedding()).isEqualTo(new JobReport.Reembedding("f2", 3, 3, 3, 0));
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
        JobReport.Reembedding progress = report().reembedding();
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
    void whatANodeOfAnotherModelFinishesLaterIsEmbeddedToo() {
        manyWithVectorsOf("f1", 2);
        embedder.model("f2");
        runner("a");
        rounds(() -> vectorsOf("f2") == 2);

        manyWithVectorsOf("f1", 3);

        rounds(() -> vectorsOf("f2") == 5);
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

        assertThat(text("select string_agg(memory_id::text, ' ') from embedding_job"))
                .isEqualTo(staying.toString());
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
}
