package io.recallgate.recall.jobs;

import io.recallgate.recall.api.Scope;
import io.recallgate.recall.database.Database;
import io.recallgate.recall.database.DatabaseTime;
import io.recallgate.recall.database.Statements;
import io.recallgate.time.Clock;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.Tuple;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** The table {@code embedding_job} as a runner uses it. Every edge of {@link JobState} that a runner takes is here. */
final class JobTable {

    private static final String CLAIM = Statements.load("jobs/claim");
    private static final String RENEW = Statements.load("jobs/renew");
    private static final String SET_BACK = Statements.load("jobs/set-back");
    private static final String RELEASE = Statements.load("jobs/release");
    private static final String RESCUE = Statements.load("jobs/rescue");
    private static final String PRUNE = Statements.load("jobs/prune");

    private final Database database;
    private final Clock clock;
    private final DatabaseTime time;
    private final JobOptions options;

    JobTable(Database database, Clock clock, DatabaseTime time, JobOptions options) {
        this.database = database;
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
     * Takes up to {@code limit} jobs, fewer when their contents are large, and gives those back that are under our name and not among {@code held}. What a
     * claim took whose answer came too late is given back by the next one. No two claims of a runner may overlap.
     *
     * @param bytes of contents, beyond which no further job is taken: one content more at most
     */
    Future<List<ClaimedJob>> claim(int limit, long bytes, long leaseMillis, Collection<Long> held) {
        Tuple values =
                Tuple.of(time.now(), options.holder(), (double) leaseMillis, limit, bytes, held.toArray(Long[]::new));
        return database.connection(
                        Statements.inBackground(clock),
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
                        Statements.inBackground(clock),
                        connection -> connection.preparedQuery(RENEW).execute(values))
                .map(JobTable::idsOf);
    }

    /** Ends attempts, each with its reason, and returns the ids of the jobs that were still ours to end. */
    Future<Set<Long>> setBack(List<ClaimedJob> jobs, List<SetBack> why) {
        Tuple values = Tuple.tuple()
                .addValue(time.now())
                .addValue(options.holder())
                .addValue(ids(jobs))
                .addValue(attempts(jobs))
                .addValue(why.stream()
                        .map(one -> (one.finallyFailed() ? JobState.FAILED : JobState.RETRYABLE).wireName())
                        .toArray(String[]::new))
                .addValue(why.stream().map(one -> one.counts() ? 1 : 0).toArray(Integer[]::new))
                .addValue(why.stream().map(one -> (double) one.waitMillis()).toArray(Double[]::new))
                .addValue(why.stream().map(SetBack::code).toArray(String[]::new))
                .addValue(why.stream().map(SetBack::detail).toArray(String[]::new));
        return database.connection(
                        Statements.inBackground(clock),
                        connection -> connection.preparedQuery(SET_BACK).execute(values))
                .map(JobTable::idsOf);
    }

    /** Gives jobs back as if they had not been claimed. */
    Future<Integer> release(Collection<ClaimedJob> jobs) {
        Tuple values = Tuple.of(options.holder(), ids(jobs), attempts(jobs));
        return database.connection(
                        Statements.inBackground(clock),
                        connection -> connection.preparedQuery(RELEASE).execute(values))
                .map(rows -> rows.size());
    }

    /** Takes jobs from runners that are gone, whoever they were; at most 100. Those that were ours do not count. */
    Future<Integer> rescue(int maxFailures, long backoffBaseMillis, long backoffMaxMillis, FailedJobs failed) {
        Tuple values = Tuple.of(time.now(), maxFailures, backoffBaseMillis, backoffMaxMillis, options.holder());
        return database.connection(
                        Statements.inBackground(clock),
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
                        Statements.inBackground(clock),
                        connection -> connection.preparedQuery(PRUNE).execute(values))
                .map(rows -> rows.size());
    }

    private static Set<Long> idsOf(RowSet<Row> rows) {
        Set<Long> ids = new HashSet<>();
        rows.forEach(row -> ids.add(row.getLong("id")));
        return ids;
    }

    private static Long[] ids(Collection<ClaimedJob> jobs) {
        return jobs.stream().map(ClaimedJob::id).toArray(Long[]::new);
    }

    private static Integer[] attempts(Collection<ClaimedJob> jobs) {
        return jobs.stream().map(ClaimedJob::attempt).toArray(Integer[]::new);
    }
}
