package io.recallgate.recall.jobs;

import io.recallgate.recall.database.Database;
import io.recallgate.recall.database.DatabaseTime;
import io.recallgate.recall.database.Statements;
import io.recallgate.recall.jobs.EmbeddedJob.EmbeddedPassage;
import io.recallgate.recall.vector.StoredVector;
import io.recallgate.recall.vector.VectorIndex;
import io.recallgate.time.Clock;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * Commits vectors and finishes their jobs, or neither, in one statement: only if memory, content, attempt, holder and lease
 * are still the ones they were made for. Vectors are filed under the model that made them, whichever is active by then.
 * Stateless; any thread.
 */
final class JobCommits {

    private static final String COMMIT = Statements.load("jobs/commit");

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
        /** Somebody has locked the memory or the job; nothing was written, and it can be asked again. */
        BUSY
    }

    /**
     * Commits several jobs of one model in one transaction. Each has its own fence: what is no longer ours is left out,
     * and the others are committed. It never waits for whoever has locked one of them.
     *
     * @return in the order of the jobs
     */
    Future<List<Result>> group(List<EmbeddedJob> group) {
        return database.transaction(Statements.inBackground(clock), connection -> connection
                        .preparedQuery(COMMIT)
                        .execute(parameters(group))
                        .compose(rows -> {
                            Map<Long, Result> byJob = new HashMap<>();
                            for (Row row : rows) {
                                byJob.put(row.getLong("job"), result(row));
                            }
                            List<Result> results = group.stream()
                                    .map(one -> byJob.getOrDefault(one.job().id(), Result.GONE))
                                    .toList();
                            List<StoredVector> stored = done(group, results).stream()
                                    .flatMap(one -> stored(one).stream())
                                    .toList();
                            return stored.isEmpty()
                                    ? Future.succeededFuture(results)
                                    : vectors.replace(connection, stored).map(results);
                        }))
                .onSuccess(results -> committed(group, results));
    }

    private Tuple parameters(List<EmbeddedJob> group) {
        List<ClaimedJob> jobs = group.stream().map(EmbeddedJob::job).toList();
        List<Long> passageJobs = new ArrayList<>();
        List<Integer> numbers = new ArrayList<>();
        List<Buffer> values = new ArrayList<>();
        List<Boolean> incomplete = new ArrayList<>();
        for (EmbeddedJob embedded : group) {
            int number = 0;
            for (EmbeddedPassage passage : embedded.passages()) {
                passageJobs.add(embedded.job().id());
                numbers.add(number++);
                values.add(Buffer.buffer(passage.vector().toLittleEndian()));
                incomplete.add(passage.incomplete());
            }
        }
        return Tuple.tuple()
                .addValue(time.now())
                .addValue(holder)
                .addValue(group.get(0).fingerprint())
                .addValue(jobs.stream().map(ClaimedJob::id).toArray(Long[]::new))
                .addValue(jobs.stream().map(ClaimedJob::attempt).toArray(Integer[]::new))
                .addValue(jobs.stream().map(job -> job.scope().owner()).toArray(String[]::new))
                .addValue(jobs.stream().map(job -> job.scope().project()).toArray(String[]::new))
                .addValue(jobs.stream().map(ClaimedJob::memoryId).toArray(UUID[]::new))
                .addValue(jobs.stream().map(ClaimedJob::contentHash).toArray(Buffer[]::new))
                .addValue(group.stream().map(one -> one.passages().size()).toArray(Integer[]::new))
                .addValue(passageJobs.toArray(Long[]::new))
                .addValue(numbers.toArray(Integer[]::new))
                .addValue(values.toArray(Buffer[]::new))
                .addValue(incomplete.toArray(Boolean[]::new));
    }

    private static List<StoredVector> stored(EmbeddedJob embedded) {
        ClaimedJob job = embedded.job();
        List<StoredVector> stored = new ArrayList<>();
        for (EmbeddedPassage passage : embedded.passages()) {
            stored.add(new StoredVector(
                    job.scope(), job.memoryId(), stored.size(), embedded.fingerprint(), passage.vector()));
        }
        return stored;
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
}
