package io.recallgate.recall.lexical;

import io.recallgate.recall.database.Database;
import io.recallgate.recall.database.Statements;
import io.recallgate.time.Clock;
import io.recallgate.time.Deadline;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/** The words of memories, as {@link Reanalysis} reads and writes them. Stateless; any thread. */
final class WordTable {

    private static final String STALE = Statements.load("lexical/stale");
    private static final String CONTENTS = Statements.load("lexical/stale-contents");
    private static final String RENEW = Statements.load("lexical/renew");

    private static final long STEP_MILLIS = 60_000;

    private final Database database;
    private final Clock clock;

    WordTable(Database database, Clock clock) {
        this.database = database;
        this.clock = clock;
    }

    /** A memory with words of another analysis, and how long its content is. */
    record Stale(UUID id, long bytes) {}

    /** Memories looked at, the last of them, and those to be analysed anew. */
    record Page(long memories, UUID last, List<Stale> stale) {}

    /** What is analysed of a memory. */
    record Content(
            UUID id,
            long version,
            String content,
            @Nullable String author,
            @Nullable Instant occurredAt) {}

    /** New words of a memory as it was in that version. */
    record Renewed(UUID id, long version, LexicalDocument words) {}

    Future<Page> page(UUID after, String analysis, int limit) {
        Tuple parameters = Tuple.of(after, analysis, (long) limit);
        return database.connection(deadline(), connection -> connection
                .preparedQuery(STALE)
                .execute(parameters)
                .map(rows -> {
                    long memories = 0;
                    UUID last = after;
                    List<Stale> stale = new ArrayList<>();
                    for (Row row : rows) {
                        memories = row.getLong(0);
                        last = row.getUUID(1) == null ? after : row.getUUID(1);
                        if (row.getUUID(2) != null) {
                            stale.add(new Stale(row.getUUID(2), row.getInteger(3)));
                        }
                    }
                    return new Page(memories, last, stale);
                }));
    }

    Future<List<Content>> contents(List<UUID> ids) {
        return database.connection(deadline(), connection -> connection
                .preparedQuery(CONTENTS)
                .execute(Tuple.tuple().addArrayOfUUID(ids.toArray(UUID[]::new)))
                .map(rows -> {
                    List<Content> contents = new ArrayList<>();
                    for (Row row : rows) {
                        OffsetDateTime at = row.getOffsetDateTime(4);
                        contents.add(new Content(
                                row.getUUID(0),
                                row.getLong(1),
                                row.getString(2),
                                row.getString(3),
                                at == null ? null : at.toInstant()));
                    }
                    return contents;
                }));
    }

    /** Writes those whose memories are still as they were, and returns how many that is. */
    Future<Integer> renew(List<Renewed> words) {
        Tuple parameters = Tuple.tuple()
                .addValue(column(words, UUID[]::new, Renewed::id))
                .addValue(column(words, Long[]::new, Renewed::version))
                .addValue(column(words, String[]::new, one -> one.words().tsvector()))
                .addValue(column(words, Integer[]::new, one -> one.words().length()))
                .addValue(column(words, Boolean[]::new, one -> one.words().truncated()))
                .addValue(column(words, String[]::new, one -> one.words().language()))
                .addValue(column(words, String[]::new, one -> one.words().analysis()));
        return database.transaction(
                deadline(),
                connection ->
                        connection.preparedQuery(RENEW).execute(parameters).map(rows -> rows.size()));
    }

    private static <V> V[] column(List<Renewed> rows, IntFunction<V[]> array, Function<Renewed, V> value) {
        return rows.stream().map(value).toArray(array);
    }

    private Deadline deadline() {
        return Deadline.afterMillis(clock, STEP_MILLIS);
    }
}
