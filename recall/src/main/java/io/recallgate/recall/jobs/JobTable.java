package io.recallgate.recall.jobs;

import io.recallgate.embedding.api.EmbeddingVector;
import io.recallgate.recall.api.Scope;
import io.recallgate.recall.database.Database;
import io.recallgate.recall.database.DatabaseTime;
import io.recallgate.recall.database.Statements;
import io.recallgate.recall.vector.StoredVector;
import io.recallgate.recall.vector.VectorIndex;
import io.recallgate.time.Clock;
import io.recallgate.time.Deadline;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Tuple;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** The table {@code embedding_job} as a runner uses it. Every edge of {@link JobState} that a runner takes is here. */
final class JobTable {

    /** A statement about a handful of rows that takes longer means trouble, and polling will come back. */
    static final long STATEMENT_MILLIS = 10_000;

    private static final String CLAIM = Statements.load("jobs/claim");
    private static final String RENEW = Statements.load("jobs/renew");
    private static final String LOCK_MEMORY = Statements.load("jobs/lock-memory");
    private static final String FINISH = Statements.load("jobs/finish");
    private static final String PUT_VECTORS = Statements.load("jobs/put-vectors");
    private static final String SET_BACK = Statements.load("jobs/set-back");
    private static final String RELEASE = Statements.load("jobs/release");
    private static final String RESCUE = Statements.load("jobs/rescue");
    private static final String PRUNE = Statements.load("jobs/prune");

    private final Database database;
    private final VectorIndex vectors;
    private final Clock clock;
    private final DatabaseTime time;
    private final JobOptions options;

    JobTable(Database database, VectorIndex vectors, Clock clock, DatabaseTime time, JobOptions options) {
        this.database = database;
        this.vectors = vectors;
        this.clock = clock;
        this.time = time;
        this.options = options;
    }

    /**
     * Why an attempt ended without a vector.
     *
     * @param finallyFailed whether there is no other attempt
     * @param counts whether it counts against the job and enters its history
     * @param waitMillis before the next attempt
     * @param code of the failure
     * @param detail one sentence without text of the memory
     */
    record SetBack(boolean finallyFailed, boolean counts, long waitMillis, String code, String detail) {}

    /**
     * Takes up to {@code limit} jobs, and gives those back that are under our name and not among {@code held}. What a
     * claim took whose answer came too late is given back by the next one. No two claims of a runner may overlap.
     */
    Future<List<ClaimedJob>> claim(int limit, long leaseMillis, Collection<Long> held) {
        Tuple values = Tuple.of(
                time.now(),
                options.holder(),
                (double) leaseMillis,
                limit,
                options.maxChars(),
                held.toArray(Long[]::new));
        return database.connection(
                        deadline(),
                        connection -> connection.preparedQuery(CLAIM).execute(values))
                .map(rows -> {
                    List<ClaimedJob> jobs = new ArrayList<>();
                    rows.forEach(row -> jobs.add(new ClaimedJob(
                            row.getLong("id"),
                            row.getUUID("memory_id"),
                            new Scope(row.getString("owner"), row.getString("project")),
                            row.getBuffer("content_hash"),
                            row.getInteger("attempt"),
                            row.getInteger("failures"),
                            row.getString("author"),
                            row.getString("content"))));
                    return jobs;
                });
    }

    /** Renews leases and returns the ids of the jobs that are still ours. */
    Future<Set<Long>> renew(Collection<ClaimedJob> jobs, long leaseMillis) {
        Tuple values = Tuple.of(time.now(), options.holder(), (double) leaseMillis, ids(jobs), attempts(jobs));
        return database.connection(
                        deadline(),
                        connection -> connection.preparedQuery(RENEW).execute(values))
                .map(rows -> {
                    Set<Long> held = new HashSet<>();
                    rows.forEach(row -> held.add(row.getLong("id")));
                    return held;
                });
    }

    /**
     * Commits a job's vectors and finishes it, or neither.
     *
     * @return false if the memory, its content, the attempt or the lease is no longer the one the vectors were made for
     */
    Future<Boolean> commit(ClaimedJob job, String fingerprint, List<EmbeddingVector> passages) {
        return database.transaction(deadline(), connection -> connection
                        .preparedQuery(LOCK_MEMORY)
                        .execute(
                                Tuple.of(job.scope().owner(), job.scope().project(), job.memoryId(), job.contentHash()))
                        .compose(memory -> memory.size() == 0
                                ? Future.succeededFuture(false)
                                : finish(connection, job, fingerprint, passages)))
                .onSuccess(committed -> {
                    if (committed) {
                        vectors.committed(job.scope());
                    }
                });
    }

    /** Ends an attempt; false if it was no longer ours to end. */
    Future<Boolean> setBack(ClaimedJob job, SetBack why) {
        Tuple values = Tuple.tuple()
                .addValue(time.now())
                .addValue(job.id())
                .addValue(job.attempt())
                .addValue(options.holder())
                .addValue((why.finallyFailed() ? JobState.FAILED : JobState.RETRYABLE).wireName())
                .addValue(why.counts() ? 1 : 0)
                .addValue((double) why.waitMillis())
                .addValue(why.code())
                .addValue(why.detail());
        return database.connection(
                        deadline(),
                        connection -> connection.preparedQuery(SET_BACK).execute(values))
                .map(rows -> rows.size() == 1);
    }

    /** Gives jobs back as if they had not been claimed. */
    Future<Integer> release(Collection<ClaimedJob> jobs) {
        Tuple values = Tuple.of(options.holder(), ids(jobs), attempts(jobs));
        return database.connection(
                        deadline(),
                        connection -> connection.preparedQuery(RELEASE).execute(values))
                .map(rows -> rows.size());
    }

    /** Takes jobs from runners that are gone, whoever they were; at most 100. Those that were ours do not count. */
    Future<Integer> rescue(int maxFailures, long backoffBaseMillis, long backoffMaxMillis, FailedJobs failed) {
        Tuple values = Tuple.of(time.now(), maxFailures, backoffBaseMillis, backoffMaxMillis, options.holder());
        return database.connection(
                        deadline(),
                        connection -> connection.preparedQuery(RESCUE).execute(values))
                .map(rows -> {
                    rows.forEach(row -> {
                        if (row.getString("state").equals(JobState.FAILED.wireName())) {
                            failed.failed(row.getLong("id"), row.getUUID("memory_id"), "lease-expired");
                        }
                    });
                    return rows.size();
                });
    }

    /** Removes finished jobs older than the retention; at most 5,000. */
    Future<Integer> prune() {
        Tuple values = Tuple.of(time.now(), (double) options.retentionMillis());
        return database.connection(
                        deadline(),
                        connection -> connection.preparedQuery(PRUNE).execute(values))
                .map(rows -> rows.size());
    }

    private Future<Boolean> finish(
            SqlConnection connection, ClaimedJob job, String fingerprint, List<EmbeddingVector> passages) {
        return connection
                .preparedQuery(FINISH)
                .execute(Tuple.of(time.now(), job.id(), job.attempt(), options.holder(), job.contentHash()))
                .compose(finished -> {
                    if (finished.size() == 0) {
                        return Future.succeededFuture(false);
                    }
                    return putVectors(connection, job, fingerprint, passages).map(true);
                });
    }

    private Future<Void> putVectors(
            SqlConnection connection, ClaimedJob job, String fingerprint, List<EmbeddingVector> passages) {
        Integer[] numbers = new Integer[passages.size()];
        Buffer[] bytes = new Buffer[passages.size()];
        List<StoredVector> stored = new ArrayList<>();
        for (int i = 0; i < numbers.length; i++) {
            numbers[i] = i;
            bytes[i] = Buffer.buffer(passages.get(i).toLittleEndian());
            stored.add(new StoredVector(job.scope(), job.memoryId(), i, fingerprint, passages.get(i)));
        }
        Tuple values = Tuple.tuple()
                .addValue(job.scope().owner())
                .addValue(job.scope().project())
                .addValue(job.memoryId())
                .addValue(fingerprint)
                .addValue(job.contentHash())
                .addValue(numbers)
                .addValue(bytes);
        return connection
                .preparedQuery(PUT_VECTORS)
                .execute(values)
                .compose(ignored -> vectors.replace(connection, stored));
    }

    private Deadline deadline() {
        return Deadline.afterMillis(clock, STATEMENT_MILLIS);
    }

    private static Long[] ids(Collection<ClaimedJob> jobs) {
        return jobs.stream().map(ClaimedJob::id).toArray(Long[]::new);
    }

    private static Integer[] attempts(Collection<ClaimedJob> jobs) {
        return jobs.stream().map(ClaimedJob::attempt).toArray(Integer[]::new);
    }
}
