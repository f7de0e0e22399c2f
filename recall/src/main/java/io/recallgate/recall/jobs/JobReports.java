package io.recallgate.recall.jobs;

import io.recallgate.recall.api.JobReport;
import io.recallgate.recall.api.JobReport.JobError;
import io.recallgate.recall.api.JobReport.Reembedding;
import io.recallgate.recall.api.JobService;
import io.recallgate.recall.api.Scope;
import io.recallgate.recall.database.Database;
import io.recallgate.recall.database.DatabaseTime;
import io.recallgate.recall.database.Statements;
import io.recallgate.time.Deadline;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Tuple;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** {@link JobService} on PostgreSQL. Any thread. */
public final class JobReports implements JobService {

    private static final String COUNTS = Statements.load("jobs/counts");
    private static final String OLDEST = Statements.load("jobs/oldest");
    private static final String ERRORS = Statements.load("jobs/errors");
    /** The same that recall tells its coverage by. */
    private static final String COVERAGE = Statements.load("search/coverage");

    private static final String RETRY_FAILED = Statements.load("jobs/retry-failed");
    private static final String NOTIFY_JOBS = Statements.load("store/notify-jobs");

    private final Database database;
    private final DatabaseTime time;
    private final ActiveModel model;

    /**
     * @param time of statements
     * @param model whose progress is told
     */
    public JobReports(Database database, DatabaseTime time, ActiveModel model) {
        this.database = database;
        this.time = time;
        this.model = model;
    }

    @Override
    public Future<JobReport> report(Scope scope, Deadline deadline) {
        Tuple scoped = Tuple.of(scope.owner(), scope.project());
        return database.connection(deadline, connection -> {
            // Sent together: one round trip.
            var counts = connection.preparedQuery(COUNTS).execute(scoped);
            var oldest = connection.preparedQuery(OLDEST).execute(Tuple.of(scope.owner(), scope.project(), time.now()));
            var errors = connection.preparedQuery(ERRORS).execute(scoped);
            Future<@Nullable Reembedding> reembedding = reembedding(connection, scope);
            return Future.all(counts, oldest, errors, reembedding).map(ignored -> {
                Map<String, Long> byState = new LinkedHashMap<>();
                JobState.wireNames().forEach(state -> byState.put(state, 0L));
                counts.result().forEach(row -> byState.put(row.getString("state"), row.getLong("jobs")));
                List<JobError> list = new ArrayList<>();
                errors.result()
                        .forEach(row -> list.add(new JobError(
                                row.getUUID("memory_id"),
                                row.getInteger("attempt"),
                                row.getString("code"),
                                row.getString("detail"),
                                row.getOffsetDateTime("at").toInstant())));
                long age = oldest.result().iterator().next().getLong("age_millis");
                return new JobReport(byState, Math.max(0, age), list, reembedding.result());
            });
        });
    }

    private Future<@Nullable Reembedding> reembedding(SqlConnection connection, Scope scope) {
        String fingerprint = model.fingerprint();
        if (fingerprint == null) {
            return Future.succeededFuture();
        }
        return connection
                .preparedQuery(COVERAGE)
                .execute(Tuple.of(scope.owner(), scope.project(), fingerprint))
                .map(rows -> {
                    Row row = rows.iterator().next();
                    return new Reembedding(
                            fingerprint,
                            row.getLong("memories"),
                            row.getLong("embedded"),
                            row.getLong("passages"),
                            row.getLong("incomplete"));
                });
    }

    @Override
    public Future<Integer> retryFailed(Scope scope, Deadline deadline) {
        return database.transaction(deadline, connection -> connection
                .preparedQuery(RETRY_FAILED)
                .execute(Tuple.of(scope.owner(), scope.project(), time.now()))
                .compose(rows -> connection.query(NOTIFY_JOBS).execute().map(rows.size())));
    }
}
