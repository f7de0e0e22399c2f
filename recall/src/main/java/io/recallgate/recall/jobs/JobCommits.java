package io.recallgate.recall.jobs;

import io.recallgate.recall.database.Database;
import io.recallgate.recall.database.DatabaseTime;
import io.recallgate.recall.database.Statements;
import io.recallgate.recall.jobs.EmbeddedJob.EmbeddedPassage;
import io.recallgate.recall.vector.StoredVector;
import io.recallgate.recall.vector.VectorIndex;
import io.recallgate.time.Clock;
import io.recallgate.time.Deadline;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Tuple;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * Commits vectors and finishes their jobs, or neither: only if memory, content, attempt, holder and lease are still the
 * ones they were made for. Stateless; any thread.
 */
final class JobCommits {

    private static final String LOCK_MEMORY = Statements.load("jobs/lock-memory");
    private static final String FINISH = Statements.load("jobs/finish");
    private static final String FINISH_GROUP = Statements.load("jobs/finish-group");
    private static final String PUT_VECTORS = Statements.load("jobs/put-vectors");

    private final Database database;
    private final VectorIndex vectors;
    private final Clock clock;
    private final DatabaseTime time;
    private final String holder;

    JobCommits(Database database, VectorIndex vectors, Clock clock, DatabaseTime time, JobOptions options) {
        this.database = database;
        this.vectors = vectors;
        this.clock = clock;
        this.time = time;
        this.holder = options.holder();
    }

    /** What became of one job of a group. */
    enum Result {
        /** Vectors and job are committed. */
        DONE,
        /** What they were made for is gone; nothing was written. */
        GONE,
        /** Somebody is writing the memory just now; nothing was written, and it can be asked again alone. */
        BUSY
    }

    /** Commits one job, waiting for whoever is writing its memory; {@code DONE} or {@code GONE}. */
    Future<Result> one(EmbeddedJob embedded) {
        ClaimedJob job = embedded.job();
        Tuple memory = Tuple.of(job.scope().owner(), job.scope().project(), job.memoryId(), job.contentHash());
        Tuple fence = Tuple.of(time.now(), job.id(), job.attempt(), holder, job.contentHash());
        return database.transaction(deadline(), connection -> connection
                        .preparedQuery(LOCK_MEMORY)
                        .execute(memory)
                        .compose(locked -> locked.size() == 0
                                ? Future.succeededFuture(locked)
                                : connection.preparedQuery(FINISH).execute(fence))
                        .compose(finished -> finished.size() == 0
                                ? Future.succeededFuture(Result.GONE)
                                : put(connection, List.of(embedded)).map(Result.DONE)))
                .onSuccess(result -> committed(List.of(embedded), List.of(result)));
    }

    /**
     * Commits several jobs of one model in one transaction. Each has its own fence: what is no longer ours is left out,
     * and the others are committed.
     *
     * @return in the order of the jobs
     */
    Future<List<Result>> group(List<EmbeddedJob> group) {
        return database.transaction(deadline(), connection -> connection
                        .preparedQuery(FINISH_GROUP)
                        .execute(fences(group))
                        .compose(rows -> {
                            Map<Long, Result> byJob = new HashMap<>();
                            for (Row row : rows) {
                                byJob.put(row.getLong("job"), result(row));
                            }
                            List<Result> results = group.stream()
                                    .map(one -> byJob.getOrDefault(one.job().id(), Result.GONE))
                                    .toList();
                            List<EmbeddedJob> finished = done(group, results);
                            return finished.isEmpty()
                                    ? Future.succeededFuture(results)
                                    : put(connection, finished).map(results);
                        }))
                .onSuccess(results -> committed(group, results));
    }

    private Tuple fences(List<EmbeddedJob> group) {
        List<ClaimedJob> jobs = group.stream().map(EmbeddedJob::job).toList();
        return Tuple.tuple()
                .addValue(time.now())
                .addValue(holder)
                .addValue(jobs.stream().map(ClaimedJob::id).toArray(Long[]::new))
                .addValue(jobs.stream().map(ClaimedJob::attempt).toArray(Integer[]::new))
                .addValue(jobs.stream().map(job -> job.scope().owner()).toArray(String[]::new))
                .addValue(jobs.stream().map(job -> job.scope().project()).toArray(String[]::new))
                .addValue(jobs.stream().map(ClaimedJob::memoryId).toArray(UUID[]::new))
                .addValue(jobs.stream().map(ClaimedJob::contentHash).toArray(Buffer[]::new));
    }

    private Future<Void> put(SqlConnection connection, List<EmbeddedJob> group) {
        List<StoredVector> stored = new ArrayList<>();
        List<Buffer> hashes = new ArrayList<>();
        List<Boolean> incomplete = new ArrayList<>();
        for (EmbeddedJob embedded : group) {
            ClaimedJob job = embedded.job();
            int number = 0;
            for (EmbeddedPassage passage : embedded.passages()) {
                stored.add(new StoredVector(
                        job.scope(), job.memoryId(), number++, embedded.fingerprint(), passage.vector()));
                hashes.add(job.contentHash());
                incomplete.add(passage.incomplete());
            }
        }
        Tuple values = Tuple.tuple()
                .addValue(group.get(0).fingerprint())
                .addValue(group.stream().map(one -> one.job().memoryId()).toArray(UUID[]::new))
                .addValue(group.stream().map(one -> one.passages().size()).toArray(Integer[]::new))
                .addValue(stored.stream().map(one -> one.scope().owner()).toArray(String[]::new))
                .addValue(stored.stream().map(one -> one.scope().project()).toArray(String[]::new))
                .addValue(stored.stream().map(StoredVector::memoryId).toArray(UUID[]::new))
                .addValue(hashes.toArray(Buffer[]::new))
                .addValue(stored.stream().map(StoredVector::passage).toArray(Integer[]::new))
                .addValue(stored.stream()
                        .map(one -> Buffer.buffer(one.vector().toLittleEndian()))
                        .toArray(Buffer[]::new))
                .addValue(incomplete.toArray(Boolean[]::new));
        return connection
                .preparedQuery(PUT_VECTORS)
                .execute(values)
                .compose(ignored -> vectors.replace(connection, stored));
    }

    private void committed(List<EmbeddedJob> group, List<Result> results) {
        done(group, results).stream().map(one -> one.job().scope()).distinct().forEach(vectors::committed);
    }

    private static List<EmbeddedJob> done(List<EmbeddedJob> group, List<Result> results) {
        List<EmbeddedJob> done = new ArrayList<>();
        for (int i = 0; i < group.size(); i++) {
            if (results.get(i) == Result.DONE) {
                done.add(group.get(i));
            }
        }
        return done;
    }

    private static Result result(Row row) {
        return row.getBoolean("finished") ? Result.DONE : row.getBoolean("busy") ? Result.BUSY : Result.GONE;
    }

    private Deadline deadline() {
        return Deadline.afterMillis(clock, JobTable.STATEMENT_MILLIS);
    }
}
