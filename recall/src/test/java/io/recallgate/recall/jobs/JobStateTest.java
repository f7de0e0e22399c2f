package io.recallgate.recall.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import io.recallgate.recall.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Random;
import org.junit.jupiter.api.Test;

class JobStateTest {

    @Test
    void theDatabaseAllowsExactlyTheEdgesOfTheEnum() throws SQLException {
        try (TestDatabase database = TestDatabase.embedded();
                Connection connection = database.jdbc();
                Statement statement = connection.createStatement()) {
            statement.execute("insert into memory (id, owner, kind, content, content_hash, words, word_count)"
                    + " values ('00000000-0000-7000-8000-000000000001', 'o', 'note', 'x',"
                    + " sha256('x'), ''::tsvector, 1)");
            for (JobState from : JobState.values()) {
                for (JobState to : JobState.values()) {
                    statement.execute("delete from embedding_job");
                    statement.execute("insert into embedding_job (memory_id, owner, project, content_hash, state,"
                            + " leased_by, lease_until, finished_at) values"
                            + " ('00000000-0000-7000-8000-000000000001', 'o', '', sha256('x'), " + columns(from) + ")");
                    boolean allowed = true;
                    try {
                        statement.execute("update embedding_job set (state, leased_by, lease_until, finished_at) = ("
                                + columns(to) + ")");
                    } catch (SQLException e) {
                        assertThat(e.getSQLState()).isEqualTo("55000");
                        allowed = false;
                    }
                    assertThat(allowed)
                            .as(from + " to " + to)
                            .isEqualTo(from == to || from.next().contains(to));
                }
            }
        }
    }

    @Test
    void backoffDoublesToItsCapAndJitterTakesOffAtMostHalf() {
        Random random = new Random(7);
        long[] caps = {1_000, 2_000, 4_000, 8_000, 10_000, 10_000};
        for (int failures = 1; failures <= caps.length; failures++) {
            for (int i = 0; i < 100; i++) {
                assertThat(Backoff.millis(failures, 1_000, 10_000, random))
                        .isBetween(caps[failures - 1] / 2, caps[failures - 1]);
            }
        }
        assertThat(Backoff.millis(5_000, 1_000, 300_000, random)).isBetween(150_000L, 300_000L);
    }

    private static String columns(JobState state) {
        boolean running = state == JobState.RUNNING;
        return "'" + state.wireName() + "', " + (running ? "'r', now(), " : "null, null, ")
                + (state.isFinished() ? "now()" : "null");
    }
}
