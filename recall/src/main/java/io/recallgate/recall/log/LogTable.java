package io.recallgate.recall.log;

import io.recallgate.recall.api.DegradeReason;
import io.recallgate.recall.api.RecallMode;
import io.recallgate.recall.api.RecallStats;
import io.recallgate.recall.api.Scope;
import io.recallgate.recall.database.Database;
import io.recallgate.recall.database.DatabaseTime;
import io.recallgate.recall.database.Statements;
import io.recallgate.time.Deadline;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.SqlResult;
import io.vertx.sqlclient.Tuple;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The statements of the log. Any thread. */
final class LogTable {

    private static final String KEY = Statements.load("log/key");
    private static final String INSERT = Statements.load("log/insert");
    private static final String PRUNE = Statements.load("log/prune");
    private static final String MODES = Statements.load("log/modes");
    private static final String REASONS = Statements.load("log/reasons");

    private final Database database;
    private final DatabaseTime time;

    LogTable(Database database, DatabaseTime time) {
        this.database = database;
        this.time = time;
    }

    /**
     * A line of the log.
     *
     * @param recall with as much of its question as is kept
     * @param hash of the whole question
     * @param chars in the whole question
     * @param readable whether the question is to be written
     * @param ageSeconds since it was over
     */
    @SuppressWarnings("ArrayRecordComponent") // private to the package and never changed
    record Line(RecallRecord recall, byte[] hash, int chars, boolean readable, double ageSeconds) {

        Line aged(double seconds) {
            return new Line(recall, hash, chars, readable, seconds);
        }
    }

    Future<byte[]> key(Deadline deadline) {
        return database.connection(deadline, connection -> connection.query(KEY).execute())
                .map(rows -> rows.iterator().next().getBuffer(0).getBytes());
    }

    Future<Void> insert(List<Line> lines, Deadline deadline) {
        List<Tuple> rows = lines.stream().map(this::row).toList();
        return database.connection(
                        deadline, connection -> connection.preparedQuery(INSERT).executeBatch(rows))
                .mapEmpty();
    }

    /** Removes up to {@code limit} that are older than {@code days}, and tells how many. */
    Future<Integer> prune(int days, int limit, Deadline deadline) {
        return database.connection(
                        deadline,
                        connection -> connection.preparedQuery(PRUNE).execute(Tuple.of(time.now(), days, limit)))
                .map(SqlResult::rowCount);
    }

    /** What {@link RecallStats} has of the table. */
    record Read(boolean sampled, Map<RecallMode, RecallStats.Mode> modes) {}

    /** @param most so many of the newest recalls are looked at */
    Future<Read> read(Scope scope, Duration window, int most, Deadline deadline) {
        Tuple reasons = Tuple.of(scope.owner(), scope.project(), time.now(), seconds(window), most);
        Tuple modes = Tuple.of(scope.owner(), scope.project(), time.now(), seconds(window), most)
                .addDouble((double) RecallStats.SLOW_MILLIS);
        return database.connection(deadline, connection -> connection
                .preparedQuery(REASONS)
                .execute(reasons)
                .compose(why -> connection.preparedQuery(MODES).execute(modes).map(rows -> read(rows, why, most))));
    }

    private static Read read(RowSet<Row> rows, RowSet<Row> why, int most) {
        Map<RecallMode, Map<DegradeReason, Long>> reasons = new EnumMap<>(RecallMode.class);
        for (Row row : why) {
            reasons.computeIfAbsent(mode(row), ignored -> new EnumMap<>(DegradeReason.class))
                    .put(DegradeReason.valueOf(constant(row.getString("reason"))), row.getLong("n"));
        }
        Map<RecallMode, RecallStats.Mode> modes = new EnumMap<>(RecallMode.class);
        long seen = 0;
        for (Row row : rows) {
            RecallMode mode = mode(row);
            seen += row.getLong("n");
            modes.put(
                    mode,
                    new RecallStats.Mode(
                            row.getLong("n"),
                            row.getLong("failed"),
                            row.getLong("cancelled"),
                            row.getLong("slow"),
                            row.getLong("gaps"),
                            spans(row),
                            reasons.getOrDefault(mode, Map.of())));
        }
        return new Read(seen >= most, modes);
    }

    private static RecallStats.@Nullable Spans spans(Row row) {
        Double[] at = row.getArrayOfDoubles("spans");
        Double longest = row.getDouble("longest");
        return at == null || longest == null ? null : new RecallStats.Spans(at[0], at[1], at[2], at[3], at[4], longest);
    }

    private static RecallMode mode(Row row) {
        return RecallMode.valueOf(constant(row.getString("requested")));
    }

    private static String constant(String wireName) {
        return wireName.toUpperCase(Locale.ROOT).replace('-', '_');
    }

    private static double seconds(Duration window) {
        return window.toMillis() / 1_000.0;
    }

    private Tuple row(Line line) {
        RecallRecord recall = line.recall();
        RecallRecord.Answered answered = recall.outcome() instanceof RecallRecord.Answered yes ? yes : null;
        RecallRecord.Failed failed = recall.outcome() instanceof RecallRecord.Failed no ? no : null;
        DegradeReason reason = answered == null ? null : answered.reason();
        return Tuple.of(time.now(), line.ageSeconds(), recall.recallId())
                .addString(recall.scope().owner())
                .addString(recall.scope().project())
                .addString(recall.requested().wireName())
                .addString(answered == null ? null : answered.served().wireName())
                .addString(failed == null ? null : failed.code().code())
                .addString(reason == null ? null : reason.wireName())
                .addBuffer(Buffer.buffer(line.hash()))
                .addInteger(line.chars())
                .addString(line.readable() ? recall.question().text() : null)
                .addBoolean(recall.question().truncated())
                .addBoolean(recall.question().narrowed())
                .addInteger(recall.counts().lexical())
                .addInteger(recall.counts().vector())
                .addInteger(recall.counts().together())
                .addInteger(answered == null ? null : answered.hits())
                .addDouble(answered == null ? null : answered.coverage())
                .addDouble(recall.timing().total())
                .addDouble(recall.timing().embedding())
                .addDouble(recall.timing().lexical())
                .addDouble(recall.timing().vector())
                .addDouble(recall.timing().fusion());
    }
}
