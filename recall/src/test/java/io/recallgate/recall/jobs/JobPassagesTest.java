package io.recallgate.recall.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import io.recallgate.recall.Await;
import io.recallgate.recall.api.JobReport;
import io.recallgate.recall.api.Memory;
import io.recallgate.recall.api.MemoryQuery;
import io.recallgate.recall.api.MemoryState;
import io.recallgate.recall.database.DatabaseTime;
import io.recallgate.time.SystemClock;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Objects;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Memories that take several passages: they are written, counted and removed together. */
class JobPassagesTest extends JobsTest {

    private static final String LONG = "The keeper of the garden waters the roses every morning. "
            .repeat(120)
            .strip();

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
        return Objects.requireNonNull(report().reembedding());
    }

    private static int passagesOf(UUID id, String fingerprint) {
        return Integer.parseInt(text("select count(*) from memory_vector where fingerprint = '" + fingerprint
                + "' and memory_id = '" + id + "'"));
    }
}
