package io.recallgate.recall.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import io.recallgate.embedding.api.EmbeddingVector;
import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import io.recallgate.recall.Await;
import io.recallgate.recall.RecordingVectorIndex;
import io.recallgate.recall.ScriptedEmbedder;
import io.recallgate.recall.jobs.EmbeddedJob.EmbeddedPassage;
import io.recallgate.recall.jobs.JobCommits.Result;
import io.recallgate.recall.jobs.JobTable.SetBack;
import io.recallgate.recall.jobs.OutcomeWriter.Fate;
import io.recallgate.recall.jobs.OutcomeWriter.Patience;
import io.recallgate.recall.jobs.OutcomeWriter.Written;
import io.recallgate.recall.vector.StoredVector;
import io.recallgate.time.CancelCause;
import io.recallgate.time.CancelSignal;
import io.vertx.core.Future;
import io.vertx.pgclient.PgException;
import io.vertx.sqlclient.SqlConnection;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Many jobs in one transaction on a real database: each keeps its own guards. */
class JobCommitsTest extends JobsTest {

    private static final long MANY_BYTES = 1 << 20;
    private static final long LEASE_MILLIS = 60_000;

    private final PickyIndex picky = (PickyIndex) vectors;
    private JobTable table;
    private JobCommits commits;
    private OutcomeWriter outcomes;

    JobCommitsTest() {
        super(new PickyIndex());
    }

    /** Refuses one memory, as a constraint of its own table would, and loses the connection over another. */
    private static final class PickyIndex extends RecordingVectorIndex {
        private static final UUID NONE = new UUID(0, 0);
        private volatile UUID refused = NONE;
        private volatile UUID broken = NONE;

        @Override
        public Future<Void> replace(SqlConnection transaction, List<StoredVector> vectors) {
            if (vectors.stream().anyMatch(vector -> vector.memoryId().equals(refused))) {
                return transaction.query("select 1 / 0").execute().mapEmpty();
            }
            return vectors.stream().anyMatch(vector -> vector.memoryId().equals(broken))
                    ? transaction
                            .query("select pg_terminate_backend(pg_backend_pid())")
                            .execute()
                            .mapEmpty()
                    : super.replace(transaction, vectors);
        }
    }

    @BeforeEach
    void openCommits() {
        table = table("a");
        commits = commits("a");
        outcomes = new OutcomeWriter(table, commits, model, new Patience(clock, 0, () -> LEASE_MILLIS));
    }

    @Test
    void manyAreCommittedInOneTransaction() {
        List<EmbeddedJob> group = claimed(20);

        assertThat(Await.result(commits.group(group))).hasSize(20).containsOnly(Result.DONE);

        assertThat(text("select count(*) from embedding_job where state = 'done'"))
                .isEqualTo("20");
        assertThat(text("select count(*) || ' ' || count(distinct changed_by) from memory_vector v join memory m"
                        + " on m.id = v.memory_id and m.content_hash = v.content_hash and m.owner = v.owner"))
                .isEqualTo("20 1");
        assertThat(vectors.replaced).hasSize(20);
        assertThat(vectors.committed).containsExactly(SCOPE);
        assertThat(Await.result(commits.group(group))).containsOnly(Result.GONE);
    }

    @Test
    void whatIsGoneIsLeftOutAndTheOthersAreCommitted() {
        List<EmbeddedJob> group = claimed(6);
        Await.result(store.delete(SCOPE, id(group, 0), soon()));
        testDatabase.execute("update memory set content_hash = sha256('other') where id = '" + id(group, 1) + "'");
        update(group, 2, "attempt = attempt + 1");
        update(group, 3, "leased_by = 'b'");
        update(group, 4, "lease_until = '" + clock.instant() + "'");

        assertThat(Await.result(commits.group(group)))
                .containsExactly(Result.GONE, Result.GONE, Result.GONE, Result.GONE, Result.GONE, Result.DONE);

        assertThat(text("select memory_id from memory_vector"))
                .isEqualTo(id(group, 5).toString());
        assertThat(text("select count(*) from embedding_job where state = 'running'"))
                .isEqualTo("4");
        assertThat(vectors.replaced).hasSize(1);
    }

    @Test
    void aMemoryThatIsBeingWrittenHoldsUpNobodyAndIsCommittedAfterwards() throws SQLException {
        List<EmbeddedJob> group = claimed(5);
        List<Future<Written>> written = new ArrayList<>();
        try (Connection writer = testDatabase.jdbc();
                Statement statement = writer.createStatement()) {
            writer.setAutoCommit(false);
            statement.execute("select from memory where id = '" + id(group, 1) + "' for update");
            statement.execute("select from embedding_job where memory_id = '" + id(group, 2) + "' for update");

            assertThat(Await.result(commits.group(group.subList(0, 3))))
                    .containsExactly(Result.DONE, Result.BUSY, Result.BUSY);
            written.addAll(commitTogether(group.subList(3, 4)));
            // Alone, in a group, and again and again: nobody ever waits behind them.
            written.add(commit(group.get(1)));
            written.add(commit(group.get(2)));
            Await.until("both wait beside the others", () -> clock.pending() == 2);
            for (int i = 0; i < 20; i++) {
                clock.advanceMillis(2_000);
                Await.until("both wait again", () -> clock.pending() == 2);
            }
            written.addAll(commitTogether(group.subList(4, 5)));
            assertThat(written.get(0).result()).isEqualTo(Written.DONE);
            assertThat(written.get(3).result()).isEqualTo(Written.DONE);
            assertThat(written.subList(1, 3)).noneMatch(Future::isComplete);
            Await.result(table.renew(List.of(group.get(1).job()), LEASE_MILLIS));
            writer.commit();
        }
        Await.result(table.renew(List.of(group.get(2).job()), LEASE_MILLIS));
        clock.advanceMillis(2_000);

        assertThat(Await.result(written.get(1))).isEqualTo(Written.DONE);
        assertThat(Await.result(written.get(2))).isEqualTo(Written.DONE);
        assertThat(text("select count(*) from memory_vector")).isEqualTo("5");
        assertThat(clock.pending()).isZero();
    }

    @Test
    void nobodyWaitsForALockLongerThanALeaseOrWhenItIsCancelled() throws SQLException {
        List<EmbeddedJob> group = claimed(2);
        CancelSignal cancel = new CancelSignal();
        try (Connection writer = testDatabase.jdbc();
                Statement statement = writer.createStatement()) {
            writer.setAutoCommit(false);
            statement.execute("select from memory for update");
            Future<Written> cancelled = outcomes.commit(group.get(0), cancel);
            Await.until("it waits", () -> clock.pending() == 1);
            cancel.cancel(CancelCause.SHUTDOWN);
            assertThat(Await.result(cancelled)).isEqualTo(Written.GIVEN_UP);
            assertThat(clock.pending()).isZero();

            Future<Written> locked = commit(group.get(1));
            long waited = 0;
            while (!locked.isComplete() && waited < 2 * LEASE_MILLIS) {
                Await.until("it waits, or not any more", () -> clock.pending() == 1 || locked.isComplete());
                Await.result(table.renew(List.of(group.get(1).job()), LEASE_MILLIS));
                clock.advanceMillis(2_000);
                waited += 2_000;
            }
            assertThat(Await.result(locked)).isEqualTo(Written.LOCKED);
            assertThat(waited).isBetween(LEASE_MILLIS, LEASE_MILLIS + 20_000);
            writer.rollback();
        }
    }

    @Test
    void resultsAreKeptWhileNobodyCanTellWhichModelIsActive() {
        List<EmbeddedJob> group = claimed(3);
        embedder.failModel(FailureCode.NOT_READY);
        List<Future<Written>> written = group.stream().map(this::commit).toList();
        for (int i = 0; i < 10; i++) {
            Await.until("all wait", () -> clock.pending() == 3);
            assertThat(written).noneMatch(Future::isComplete);
            clock.advanceMillis(2_000);
        }
        Await.until("all wait", () -> clock.pending() == 3);
        embedder.failModel(null);
        clock.advanceMillis(2_000);

        for (Future<Written> one : written) {
            assertThat(Await.result(one)).isEqualTo(Written.DONE);
        }
        assertThat(text("select count(*) from memory_vector")).isEqualTo("3");
        assertThat(embedder.asked).isEmpty();
        assertThat(clock.pending()).isZero();
    }

    @Test
    void resultsOfAModelThatNobodyNamesAgainAreKeptForALeaseAtMost() {
        EmbeddedJob job = claimed(1).get(0);
        embedder.failModel(FailureCode.NOT_READY);
        Future<Written> written = commit(job);
        for (int i = 0; i < 60 && !written.isComplete(); i++) {
            Await.until("it waits, or not any more", () -> clock.pending() == 1 || written.isComplete());
            clock.advanceMillis(2_000);
        }

        Written given = Await.result(written);
        assertThat(given.fate()).isEqualTo(Fate.NO_MODEL);
        assertThat(Objects.requireNonNull(given.failure()).code()).isEqualTo(FailureCode.NOT_READY);
        assertThat(text("select count(*) from memory_vector")).isEqualTo("0");
    }

    @Test
    void oneThatTheDatabaseRefusesFailsAlone() {
        List<EmbeddedJob> group = claimed(9);
        picky.refused = id(group, 4);

        List<Written> written = Await.result(
                Future.all(group.stream().map(this::commit).toList()).map(all -> all.<Written>list()));

        for (int i = 0; i < written.size(); i++) {
            if (i == 4) {
                FailureException failure = Objects.requireNonNull(written.get(i).failure());
                assertThat(failure.code()).isEqualTo(FailureCode.INTERNAL);
                assertThat(failure).hasCauseInstanceOf(PgException.class);
            } else {
                assertThat(written.get(i)).isEqualTo(Written.DONE);
            }
        }
        assertThat(text("select count(*) from memory_vector")).isEqualTo("8");
        assertThat(text("select count(*) from embedding_job where state = 'running'"))
                .isEqualTo("1");
    }

    @Test
    void contentThatChangesOrGoesWhileACommitWaitsIsNotGivenTheVectors() throws SQLException {
        List<EmbeddedJob> group = claimed(3);
        List<Future<Written>> written = new ArrayList<>();
        try (Connection writer = testDatabase.jdbc();
                Statement statement = writer.createStatement()) {
            writer.setAutoCommit(false);
            statement.execute("update memory set content = 'new', content_hash = sha256('new') where id = '"
                    + id(group, 0) + "'; delete from memory where id = '" + id(group, 1)
                    + "'; update memory set author = 'Mina' where id = '" + id(group, 2)
                    + "'; update embedding_job set state = 'cancelled', finished_at = now(), leased_by = null,"
                    + " lease_until = null where memory_id in ('" + id(group, 0) + "', '" + id(group, 2) + "')");
            assertThat(Await.result(commits.group(group))).containsOnly(Result.BUSY);
            group.forEach(job -> written.add(commit(job)));
            Await.until("all wait for the writer", () -> clock.pending() == 3);
            writer.commit();
        }

        clock.advanceMillis(2_000);
        for (Future<Written> one : written) {
            assertThat(Await.result(one)).isEqualTo(Written.GONE);
        }
        assertThat(text("select count(*) from memory_vector")).isEqualTo("0");
        assertThat(text("select count(*) from embedding_job where state = 'done'"))
                .isEqualTo("0");
    }

    @Test
    void aLeaseThatRunsOutWhileItsResultWaitsCommitsNothing() throws SQLException {
        List<EmbeddedJob> group = claimed(2);
        List<Future<Written>> late = new ArrayList<>();
        try (Connection writer = testDatabase.jdbc();
                Statement statement = writer.createStatement()) {
            writer.setAutoCommit(false);
            statement.execute("select from memory for update");
            group.forEach(job -> late.add(commit(job)));
            Await.until("both wait for the writer", () -> clock.pending() == 2);
            update(group, 0, "lease_until = '" + clock.instant() + "'");
            writer.commit();
        }
        clock.advanceMillis(2_000);

        assertThat(Await.result(late.get(0))).isEqualTo(Written.GONE);
        assertThat(Await.result(late.get(1))).isEqualTo(Written.DONE);
        assertThat(text("select memory_id from memory_vector"))
                .isEqualTo(id(group, 1).toString());
    }

    @Test
    void aConnectionThatIsLostInTheMiddleOfAGroupCommitsNothingAndItIsCommittedOnceLater() {
        List<EmbeddedJob> group = claimed(7);
        picky.broken = id(group, 6);

        List<Future<Written>> lost = commitTogether(group);

        assertThat(lost.get(0).result()).as("it went alone, before the others").isEqualTo(Written.DONE);
        for (Future<Written> one : lost.subList(1, 7)) {
            assertThat(FailureException.of(one.cause()).code()).isEqualTo(FailureCode.DATABASE_UNAVAILABLE);
        }
        assertThat(text("select count(*) from memory_vector")).isEqualTo("1");
        assertThat(text("select count(*) from embedding_job where state = 'running'"))
                .isEqualTo("6");

        picky.broken = PickyIndex.NONE;
        List<Future<Written>> again = commitTogether(group);
        assertThat(again.get(0).result()).as("not twice").isEqualTo(Written.GONE);
        assertThat(again.subList(1, 7)).allMatch(one -> one.result().fate() == Fate.DONE);
        assertThat(text("select count(*) || ' ' || count(distinct memory_id) from memory_vector"))
                .isEqualTo("7 7");
    }

    @Test
    void troubleThatComesWhileAGroupIsCommittedOneByOneKeepsWhatWasDone() {
        List<EmbeddedJob> group = claimed(6);
        picky.refused = id(group, 1);
        picky.broken = id(group, 4);

        List<Future<Written>> written = commitTogether(group);

        assertThat(written.get(0).result()).isEqualTo(Written.DONE);
        assertThat(written.get(1).result().failure()).as("refused by itself").isNotNull();
        assertThat(written.get(2).result()).isEqualTo(Written.DONE);
        assertThat(written.get(3).result()).isEqualTo(Written.DONE);
        assertThat(FailureException.of(written.get(4).cause()).code()).isEqualTo(FailureCode.DATABASE_UNAVAILABLE);
        assertThat(FailureException.of(written.get(5).cause()).code()).isEqualTo(FailureCode.DATABASE_UNAVAILABLE);
        assertThat(text("select count(*) from embedding_job where state = 'running'"))
                .isEqualTo("3");
        assertThat(text("select count(*) from memory_vector")).isEqualTo("3");
    }

    @Test
    void aReasonThatTheDatabaseCannotStoreKeepsNoOtherAttemptFromEnding() {
        List<ClaimedJob> jobs = claimed(4).stream().map(EmbeddedJob::job).toList();
        List<Future<Boolean>> ended = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            ended.add(outcomes.setBack(
                    jobs.get(i), new SetBack(false, true, 5_000, "first", i == 2 ? "one\0two" : "one")));
        }
        Await.until("all have ended", () -> ended.stream().allMatch(Future::isComplete));

        assertThat(FailureException.of(ended.get(2).cause()).code()).isEqualTo(FailureCode.INVALID_TEXT);
        assertThat(List.of(0, 1, 3)).allMatch(i -> ended.get(i).result());
        assertThat(text("select count(*) from embedding_job where state = 'retryable'"))
                .isEqualTo("3");
    }

    @Test
    void jobsOfAModelThatWasReplacedGoBackAndTheOthersAreCommitted() {
        List<EmbeddedJob> group = new ArrayList<>(claimed(3));
        group.set(0, new EmbeddedJob(group.get(0).job(), "older", group.get(0).passages()));

        List<Written> written = Await.result(
                Future.all(group.stream().map(this::commit).toList()).map(all -> all.<Written>list()));

        assertThat(written).containsExactly(Written.GONE, Written.DONE, Written.DONE);
        assertThat(text("select state || failures from embedding_job where memory_id = '" + id(group, 0) + "'"))
                .isEqualTo("available0");
        assertThat(text("select count(*) from memory_vector where fingerprint = 'f1'"))
                .isEqualTo("2");
    }

    @Test
    void allPassagesOfATextAreReplacedTogether() {
        EmbeddedJob long3 = claimed(1).get(0);
        Await.result(commits.group(List.of(passages(long3, 3, true), claimed(1).get(0))));
        String passages = "select string_agg(passage || '/' || passages || incomplete, ' ' order by passage)"
                + " from memory_vector where memory_id = '" + long3.job().memoryId() + "'";
        assertThat(text(passages)).isEqualTo("0/3false 1/3false 2/3true");

        testDatabase.execute("insert into embedding_job (memory_id, owner, project, content_hash, available_at)"
                + " select id, owner, project, content_hash, '" + clock.instant() + "' from memory");
        List<ClaimedJob> again = Await.result(table.claim(2, MANY_BYTES, 60_000, List.of()));
        EmbeddedJob short1 = embedded(again.stream()
                .filter(job -> job.memoryId().equals(long3.job().memoryId()))
                .findFirst()
                .orElseThrow());
        EmbeddedJob other = embedded(again.stream()
                .filter(job -> !job.memoryId().equals(long3.job().memoryId()))
                .findFirst()
                .orElseThrow());
        Await.result(commits.group(List.of(short1, passages(other, 2, false))));

        assertThat(text(passages)).isEqualTo("0/1false");
        assertThat(text("select count(*) from memory_vector")).isEqualTo("3");
    }

    @Test
    void attemptsEndTogetherEachWithItsOwnReason() {
        List<ClaimedJob> jobs = claimed(3).stream().map(EmbeddedJob::job).toList();
        update(jobs.get(2).id(), "attempt = attempt + 1");

        assertThat(Await.result(table.setBack(
                        jobs,
                        List.of(
                                new SetBack(false, true, 5_000, "first", "one"),
                                new SetBack(true, true, 0, "second", "two"),
                                new SetBack(true, true, 0, "third", "three")))))
                .containsExactlyInAnyOrder(jobs.get(0).id(), jobs.get(1).id());

        assertThat(text("select string_agg(state || failures || coalesce(errors -> 0 ->> 'code', '-')"
                        + " || (finished_at is not null) || (available_at > '" + clock.instant()
                        + "'), ' ' order by id)"
                        + " from embedding_job"))
                .isEqualTo("retryable1firstfalsetrue failed1secondtruefalse running0-falsefalse");
    }

    @Test
    void aClaimTakesNoMoreContentThanThereIsRoomFor() {
        for (int i = 0; i < 5; i++) {
            remember("x".repeat(1_000), null);
        }
        assertThat(Await.result(table.claim(10, 2_500, 60_000, List.of()))).hasSize(3);
        assertThat(text("select count(*) from embedding_job where state = 'available' and attempt = 0"))
                .isEqualTo("2");
    }

    /** The first goes alone, and the others together behind it. */
    private List<Future<Written>> commitTogether(List<EmbeddedJob> group) {
        List<Future<Written>> written = group.stream().map(this::commit).toList();
        Await.until("all have an outcome", () -> written.stream().allMatch(Future::isComplete));
        return written;
    }

    private Future<Written> commit(EmbeddedJob job) {
        return outcomes.commit(job, new CancelSignal());
    }

    private List<EmbeddedJob> claimed(int count) {
        rememberMany(count);
        return Await.result(table.claim(count, MANY_BYTES, 60_000, running())).stream()
                .map(JobCommitsTest::embedded)
                .toList();
    }

    private List<Long> running() {
        return List.of(
                        text("select coalesce(string_agg(id::text, ','), '0') from embedding_job where state = 'running'")
                                .split(",", -1))
                .stream()
                .map(Long::valueOf)
                .toList();
    }

    private static EmbeddedJob embedded(ClaimedJob job) {
        return new EmbeddedJob(job, "f1", List.of(new EmbeddedPassage(ScriptedEmbedder.VECTOR, false)));
    }

    private static EmbeddedJob passages(EmbeddedJob job, int count, boolean incomplete) {
        List<EmbeddedPassage> passages = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            passages.add(new EmbeddedPassage(EmbeddingVector.of(0.6f, 0.8f), incomplete && i == count - 1));
        }
        return new EmbeddedJob(job.job(), job.fingerprint(), passages);
    }

    private static UUID id(List<EmbeddedJob> group, int index) {
        return group.get(index).job().memoryId();
    }

    private void update(List<EmbeddedJob> group, int index, String change) {
        update(group.get(index).job().id(), change);
    }

    private void update(long job, String change) {
        testDatabase.execute("update embedding_job set " + change + " where id = " + job);
    }
}
