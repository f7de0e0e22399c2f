package io.recallgate.recall.lexical;

import io.recallgate.recall.database.Database;
import io.recallgate.recall.database.Statements;
import io.recallgate.time.CancelSignal;
import io.recallgate.time.Deadline;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.Tuple;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.function.BooleanSupplier;

/**
 * Finds the memories whose content contains a text literally, newest first: every character as it is, with its case and
 * its accents, and none of them a pattern. A blank text finds nothing.
 *
 * <p>Where there is an index of trigrams and the text has one, the index finds; elsewhere words that every such memory has
 * narrow the search, if there are any, and what is left is read. Of which words that is certain leaves out one rarity: a
 * Han or kana character that a combining mark or variation selector follows only in the memory. May be called on any
 * thread.
 */
final class LiteralSearch {

    /** So many are read and sorted; what is more common than that is found quickly among the newest. */
    static final int MAX_FOUND = 4_000;

    private static final String TRIGRAMS = Statements.load("lexical/strict-trigrams");
    private static final String WORDS = Statements.load("lexical/strict-words");
    private static final String ALL = Statements.load("lexical/strict");

    private final Database database;
    private final LuceneAnalysis analysis;
    private final BooleanSupplier trigrams;

    /** @param trigrams whether there is an index of trigrams; read on each use */
    LiteralSearch(Database database, LuceneAnalysis analysis, BooleanSupplier trigrams) {
        this.database = database;
        this.analysis = analysis;
        this.trigrams = trigrams;
    }

    Future<List<UUID>> search(LexicalSearch search, Deadline deadline, CancelSignal cancel) {
        String text = search.text();
        if (text.isBlank() || !isStorable(text)) {
            return Future.succeededFuture(List.of());
        }
        if (!trigrams.getAsBoolean() || !hasTrigram(text)) {
            return withoutTrigrams(search, deadline, cancel);
        }
        Tuple parameters = parameters(search, "%" + LikePattern.literal(text) + "%", MAX_FOUND + 1L)
                .addBoolean(search.includeSuperseded());
        return rows(TRIGRAMS, parameters, deadline, cancel).compose(rows -> {
            if (rows.size() > MAX_FOUND) {
                return all(search, deadline, cancel);
            }
            List<Row> found = new ArrayList<>();
            rows.forEach(found::add);
            found.sort(Comparator.comparingLong((Row row) -> row.getLong(1)).reversed());
            return Future.succeededFuture(found.stream()
                    .limit(search.limit())
                    .map(row -> row.getUUID(0))
                    .toList());
        });
    }

    private Future<List<UUID>> withoutTrigrams(LexicalSearch search, Deadline deadline, CancelSignal cancel) {
        Set<List<String>> certain = analysis.certainTerms(search.text());
        if (certain.isEmpty()) {
            return all(search, deadline, cancel);
        }
        Tuple parameters = parameters(search, search.text(), search.limit())
                .addString(LexicalQuery.allOfAny(certain))
                .addBoolean(search.includeSuperseded());
        return rows(WORDS, parameters, deadline, cancel).map(LiteralSearch::ids);
    }

    private Future<List<UUID>> all(LexicalSearch search, Deadline deadline, CancelSignal cancel) {
        Tuple parameters = parameters(search, search.text(), search.limit()).addBoolean(search.includeSuperseded());
        return rows(ALL, parameters, deadline, cancel).map(LiteralSearch::ids);
    }

    private static Tuple parameters(LexicalSearch search, String text, long limit) {
        return Tuple.of(
                search.scope().owner(), search.scope().project(), text, search.kindNames(), limit, search.session());
    }

    private Future<RowSet<Row>> rows(String statement, Tuple parameters, Deadline deadline, CancelSignal cancel) {
        return database.connection(deadline, cancel, connection -> connection
                .preparedQuery(statement)
                .execute(parameters));
    }

    private static List<UUID> ids(RowSet<Row> rows) {
        List<UUID> ids = new ArrayList<>();
        rows.forEach(row -> ids.add(row.getUUID(0)));
        return ids;
    }

    /** Whether a memory can have it at all: the database keeps neither NUL nor halves of pairs. */
    private static boolean isStorable(String text) {
        return text.codePoints()
                .noneMatch(c -> c == 0 || (c >= Character.MIN_SURROGATE && c <= Character.MAX_SURROGATE));
    }

    /** Three letters or digits in a row: of anything shorter the index has nothing to look up, and would be read whole. */
    static boolean hasTrigram(String text) {
        int run = 0;
        for (int i = 0; i < text.length(); i++) {
            run = Character.isLetterOrDigit(text.charAt(i)) ? run + 1 : 0;
            if (run == 3) {
                return true;
            }
        }
        return false;
    }
}
