package io.recallgate.recall.lexical;

import io.recallgate.recall.database.Database;
import io.recallgate.recall.database.Plans;
import io.recallgate.recall.database.Statements;
import io.recallgate.recall.lexical.Candidates.Read;
import io.recallgate.recall.lexical.QuestionScorer.Asked;
import io.recallgate.time.CancelSignal;
import io.recallgate.time.Deadline;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.Tuple;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Finds the memories that match a question best by their own words, as a {@link CandidatePlan} says: rare words by the index
 * on words, common ones by the postings of the scope's blocks and among the newest memories. Stateless; any thread.
 */
final class CandidateSearch {

    /** How many are taken of the best by their postings: those that leave, and some that are gone since. */
    private static final int FROM_BLOCKS = LexicalSearch.MAX_LIMIT + 20;

    /** Blocks that are read at most, newest first: of a million memories, or of 16 million positions. */
    private static final int MAX_BLOCKS = 256;

    private static final String ANY = Statements.load("lexical/candidates");
    private static final String SESSION = Statements.load("lexical/candidates-session");
    private static final String NEWEST = Statements.load("lexical/candidates-newest");
    private static final String PLACES = Statements.load("lexical/candidates-places");
    private static final String POSTINGS = Statements.load("lexical/postings");

    private final Database database;
    private final CancelSignal cancel;

    /** @param cancel ends its statements */
    CandidateSearch(Database database, CancelSignal cancel) {
        this.database = database;
        this.cancel = cancel;
    }

    /** What blocks say: the positions of the best, and up to which position the blocks are. */
    private record InBlocks(List<Long> positions, long end) {
        static final InBlocks NONE = new InBlocks(List.of(), Long.MIN_VALUE);
    }

    /**
     * Searches.
     *
     * @param asked one term or more
     * @param known of the scope, null for nothing
     * @param documents how many memories the scope has; asked for where nothing is known of it
     */
    Future<Candidates> search(
            LexicalSearch search,
            Asked asked,
            @Nullable ScopeStatistics known,
            Future<Long> documents,
            Deadline deadline) {
        // A session is small: all terms may find, and its index bounds the rows.
        CandidatePlan plan = search.session() != null
                ? new CandidatePlan(asked.terms(), List.of(), 0)
                : CandidatePlan.of(asked.terms(), known, asked.counted());
        return inBlocks(search, asked, known, plan, deadline).compose(blocks -> {
            List<Future<RowSet<Row>>> found = new ArrayList<>();
            if (!plan.finding().isEmpty()) {
                found.add(having(search, asked, LexicalQuery.anyOf(plan.finding()), deadline));
            }
            if (plan.walk() > 0) {
                found.add(newest(search, asked, plan, blocks.end, deadline));
            }
            if (!blocks.positions.isEmpty()) {
                found.add(places(search, asked, blocks.positions, deadline));
            }
            if (!asked.phrases().isEmpty()) {
                found.add(having(search, asked, anyPhrase(asked), deadline));
            }
            List<Future<?>> all = new ArrayList<>(found);
            all.add(documents);
            return Future.all(all).map(ignored -> {
                TsBytes terms = new TsBytes(asked.terms());
                Map<UUID, Read> read = new LinkedHashMap<>();
                found.forEach(rows -> read(rows.result(), terms, read));
                QuestionScorer scorer = known == null
                        ? QuestionScorer.of(
                                asked,
                                read.values().stream().map(Read::counts).toList(),
                                documents.result(),
                                search.ranking())
                        : QuestionScorer.of(asked, known, search.ranking());
                return new Candidates(
                        search, asked.terms(), asked.phrases(), scorer, known, Candidates.ranked(read, scorer));
            });
        });
    }

    /** Blocks know neither kinds nor what is superseded, nor the beginnings of words. */
    private Future<InBlocks> inBlocks(
            LexicalSearch search, Asked asked, @Nullable ScopeStatistics known, CandidatePlan plan, Deadline deadline) {
        if (known == null
                || plan.walk() == 0
                || known.documents() < WordBlocks.MIN_DOCUMENTS
                || !search.kinds().isEmpty()
                || search.includeSuperseded()
                || !asked.counted().isEmpty()) {
            return Future.succeededFuture(InBlocks.NONE);
        }
        Map<Long, Integer> terms = new HashMap<>();
        for (String term : CandidatePlan.scored(asked.terms(), known)) {
            terms.put(Postings.key(search.scope(), term), asked.terms().indexOf(term));
        }
        Tuple parameters = scoped(search)
                .addArrayOfLong(terms.keySet().toArray(Long[]::new))
                .addLong((long) MAX_BLOCKS);
        return rows(POSTINGS, parameters, Plans.KEPT, deadline)
                .map(rows -> best(rows, terms, QuestionScorer.of(asked, known, search.ranking())));
    }

    private static InBlocks best(RowSet<Row> rows, Map<Long, Integer> terms, QuestionScorer scorer) {
        BlockRanking ranking = new BlockRanking(scorer, FROM_BLOCKS);
        long end = Long.MIN_VALUE;
        long block = Long.MIN_VALUE;
        for (Row row : rows) {
            if (row.getLong(0) != block) {
                block = row.getLong(0);
                ranking.block(block, row.getLong(1));
                end = Math.max(end, row.getLong(1));
            }
            Buffer postings = row.getBuffer(3);
            if (postings != null) {
                ranking.add(terms.getOrDefault(row.getLong(2), 0), postings);
            }
        }
        return new InBlocks(ranking.best(), end);
    }

    private Future<RowSet<Row>> newest(
            LexicalSearch search, Asked asked, CandidatePlan plan, long after, Deadline deadline) {
        Tuple parameters = finding(
                        search, asked, LexicalQuery.anyOf(plan.common().subList(0, 1)))
                .addLong((long) plan.walk())
                .addArrayOfString(asked.tsqueries())
                .addBoolean(search.includeSuperseded())
                .addLong(after);
        return rows(NEWEST, parameters, Plans.EACH_TIME, deadline);
    }

    private Future<RowSet<Row>> places(LexicalSearch search, Asked asked, List<Long> positions, Deadline deadline) {
        Tuple parameters = scoped(search)
                .addArrayOfLong(positions.toArray(Long[]::new))
                .addArrayOfString(asked.terms().toArray(String[]::new))
                .addArrayOfString(search.kindNames())
                .addArrayOfString(asked.tsqueries())
                .addBoolean(search.includeSuperseded());
        return rows(PLACES, parameters, Plans.KEPT, deadline);
    }

    private Future<RowSet<Row>> having(LexicalSearch search, Asked asked, String finding, Deadline deadline) {
        Tuple parameters = finding(search, asked, finding);
        if (search.session() != null) {
            parameters.addString(search.session());
        }
        parameters.addArrayOfString(asked.tsqueries()).addBoolean(search.includeSuperseded());
        return rows(search.session() == null ? ANY : SESSION, parameters, Plans.EACH_TIME, deadline);
    }

    /** What has a phrase is found by it, however common its words are. */
    private static String anyPhrase(Asked asked) {
        StringBuilder any = new StringBuilder();
        for (String phrase : asked.tsqueries()) {
            any.append(any.isEmpty() ? "(" : " | (").append(phrase).append(')');
        }
        return any.toString();
    }

    private static Tuple finding(LexicalSearch search, Asked asked, String finding) {
        return scoped(search)
                .addString(finding)
                .addArrayOfString(asked.terms().toArray(String[]::new))
                .addArrayOfString(search.kindNames())
                .addLong((long) CandidatePlan.MAX_ROWS);
    }

    private static Tuple scoped(LexicalSearch search) {
        return Tuple.of(search.scope().owner(), search.scope().project());
    }

    private Future<RowSet<Row>> rows(String sql, Tuple parameters, Plans plans, Deadline deadline) {
        return database.connection(deadline, cancel, plans, connection -> connection
                .preparedQuery(sql)
                .execute(parameters));
    }

    private static void read(RowSet<Row> rows, TsBytes terms, Map<UUID, Read> into) {
        rows.forEach(row -> into.put(
                row.getUUID(0),
                new Read(
                        WordCounts.read(terms, row.getInteger(2), row.getBuffer(3), row.getInteger(4)),
                        row.getBoolean(1))));
    }
}
