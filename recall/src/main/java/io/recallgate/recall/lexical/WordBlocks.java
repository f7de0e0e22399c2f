package io.recallgate.recall.lexical;

import io.recallgate.recall.api.Scope;
import io.recallgate.recall.database.Database;
import io.recallgate.recall.database.Statements;
import io.recallgate.time.Clock;
import io.recallgate.time.Deadline;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Tuple;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the blocks of large scopes: in which memories each common word is. A block is made in a transaction of its own, of
 * its memories as they are then; changed ones are made anew. Any thread; one refresh of a scope at a time.
 */
final class WordBlocks {

    /** Smaller scopes are looked through as fast. */
    static final long MIN_DOCUMENTS = 5_000;

    /** Memories of a block: about a tenth of a second of work, two megabytes to read. */
    static final int MEMORIES = 4_096;

    /** How far before its first memory a block begins at most: room for a writer that drew its positions and is not done. */
    private static final long MARGIN = Postings.MAX_SPAN / 4;

    /** So many memories since the last block are looked through with each question; then they get a block. */
    private static final int MIN_TAIL = 256;

    /** Blocks made in one refresh: 100,000 memories are done at once, the rest the next times. */
    private static final int MAX_BUILDS = 64;

    private static final long BUILD_MILLIS = 30_000;

    private static final String LOCK = Statements.load("lexical/block-lock");
    private static final String BLOCKS = Statements.load("lexical/blocks");
    private static final String CONTENTS = Statements.load("lexical/block-contents");
    private static final String REMOVE = Statements.load("lexical/block-remove");
    private static final String INSERT = Statements.load("lexical/block-insert");

    private final Database database;
    private final Clock clock;

    WordBlocks(Database database, Clock clock) {
        this.database = database;
        this.clock = clock;
    }

    /**
     * What a block is to be made of.
     *
     * @param replaced the first position of the block before, null for none
     * @param first position
     * @param last position; {@link Long#MAX_VALUE} for all that came since
     * @param least memories for which it is worth it
     */
    private record Range(@Nullable Long replaced, long first, long last, int least) {
        boolean isTail() {
            return last == Long.MAX_VALUE;
        }
    }

    /** Makes those that are missing, and anew what has changed. */
    Future<Void> refresh(Scope scope) {
        return database.transaction(deadline(), connection -> rows(connection, BLOCKS, scope))
                .compose(blocks -> build(scope, due(blocks), 0, MAX_BUILDS));
    }

    private Future<Void> build(Scope scope, List<Range> due, int index, int left) {
        if (index == due.size() || left == 0) {
            return Future.succeededFuture();
        }
        Range range = due.get(index);
        return database.transaction(deadline(), connection -> build(connection, scope, range))
                .compose(covered -> {
                    if (range.isTail() && covered >= 0) {
                        due.set(index, tail(covered + 1));
                        return build(scope, due, index, left - 1);
                    }
                    return build(scope, due, index + 1, left - 1);
                });
    }

    /** The last one is of all that came since. */
    private static List<Range> due(RowSet<Row> blocks) {
        List<Range> due = new ArrayList<>();
        Range tail = tail(0);
        int number = 0;
        for (Row block : blocks) {
            long first = block.getLong(0);
            long last = block.getLong(1);
            int memories = block.getInteger(2);
            boolean changed = block.getBoolean(3);
            if (++number == blocks.size() && memories < MEMORIES / 2) {
                tail = new Range(first, first, Long.MAX_VALUE, changed ? 0 : memories + MIN_TAIL);
                continue;
            }
            tail = tail(last + 1);
            if (changed) {
                due.add(new Range(first, first, last, 0));
            }
        }
        due.add(tail);
        return due;
    }

    private static Range tail(long first) {
        return new Range(null, first, Long.MAX_VALUE, MIN_TAIL);
    }

    /** Tells the last position that it is of; negative if none was made. */
    private static Future<Long> build(SqlConnection connection, Scope scope, Range range) {
        return rows(connection, LOCK, scope).compose(lock -> {
            if (!lock.iterator().next().getBoolean(0)) {
                return Future.succeededFuture(-1L);
            }
            Tuple wanted = scoped(scope)
                    .addLong(range.first)
                    .addLong(range.last)
                    .addLong(range.isTail() ? (long) MEMORIES : Postings.MAX_SPAN);
            return connection.preparedQuery(CONTENTS).execute(wanted).compose(rows -> {
                if (rows.size() < range.least) {
                    return Future.succeededFuture(-1L);
                }
                Long replaced = range.replaced;
                Future<?> removed = replaced == null
                        ? Future.succeededFuture()
                        : connection.preparedQuery(REMOVE).execute(scoped(scope).addLong(replaced));
                return rows.size() == 0
                        ? removed.map(-1L)
                        : removed.compose(ignored -> insert(connection, scope, range, rows));
            });
        });
    }

    private static Future<Long> insert(SqlConnection connection, Scope scope, Range range, RowSet<Row> rows) {
        Postings.Block block = new Postings.Block();
        long there = rows.iterator().next().getLong(0);
        long first = range.isTail() ? Math.max(range.first, there - MARGIN) : range.first;
        long last = there;
        int memories = 0;
        long marks = 0;
        for (Row row : rows) {
            long position = row.getLong(0);
            if (position - first >= Postings.MAX_SPAN) {
                break;
            }
            block.add((int) (position - first), row.getInteger(1), row.getString(2));
            last = position;
            memories++;
            marks += row.getLong(3);
        }
        List<String> words = block.words();
        long end = range.isTail() ? last : range.last;
        Tuple values = scoped(scope)
                .addLong(first)
                .addLong(end)
                .addInteger(memories)
                .addLong(marks)
                .addArrayOfLong(
                        words.stream().map(word -> Postings.key(scope, word)).toArray(Long[]::new))
                .addArrayOfBuffer(words.stream().map(block::postings).toArray(Buffer[]::new))
                .addLong(there);
        return connection.preparedQuery(INSERT).execute(values).map(end);
    }

    private Deadline deadline() {
        return Deadline.afterMillis(clock, BUILD_MILLIS);
    }

    private static Tuple scoped(Scope scope) {
        return Tuple.of(scope.owner(), scope.project());
    }

    private static Future<RowSet<Row>> rows(SqlConnection connection, String statement, Scope scope) {
        return connection.preparedQuery(statement).execute(scoped(scope));
    }
}
