package io.recallgate.recall.lexical;

import io.recallgate.recall.api.Scope;
import io.recallgate.recall.database.Database;
import io.recallgate.recall.database.Statements;
import io.recallgate.time.Deadline;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.Tuple;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Finds memories by words: candidates by the index on {@code words}, ranked with BM25 from their stored analysis. May be
 * called on any thread. Every future fails with a {@link io.recallgate.failure.FailureException} of the database.
 */
public final class LexicalLeg {

    private static final String CANDIDATES = Statements.load("lexical/candidates");
    private static final String CANDIDATES_SESSION = Statements.load("lexical/candidates-session");
    private static final String CANDIDATES_NEWEST = Statements.load("lexical/candidates-newest");
    private static final String NEWEST = Statements.load("lexical/newest");
    private static final String NEWEST_SESSION = Statements.load("lexical/newest-session");
    private static final String STRICT = Statements.load("lexical/strict");
    private static final String STRICT_WORDS = Statements.load("lexical/strict-words");
    private static final String AUTHORED = Statements.load("lexical/authored");
    private static final String TOTALS = Statements.load("lexical/totals");

    private final Database database;
    private final LuceneAnalysis analysis;
    private final TermStatistics statistics;

    /** Holds no state of its own. */
    public LexicalLeg(Database database, LuceneAnalysis analysis, TermStatistics statistics) {
        this.database = database;
        this.analysis = analysis;
        this.statistics = statistics;
    }

    /** The memories that match best; for a question without words, the newest. */
    public Future<LexicalResult> search(LexicalSearch search, Deadline deadline) {
        LexicalQuery query = analysis.query(search.text());
        if (query.terms().isEmpty()) {
            return newest(search, deadline).map(hits -> new LexicalResult(hits, false));
        }
        ScopeStatistics known = statistics.current(search.scope());
        return ranked(search, query.terms(), known, deadline).map(hits -> new LexicalResult(hits, true));
    }

    /**
     * The memories whose content contains the text literally, case and all, newest first. A blank text finds nothing.
     *
     * <p>Where the analysis is certain of terms that every such memory has, the index narrows the search. It is certain
     * up to one rarity: a Han or kana character that a combining mark or variation selector follows only in the memory.
     */
    public Future<LexicalResult> strict(LexicalSearch search, Deadline deadline) {
        if (search.text().isBlank()) {
            return Future.succeededFuture(new LexicalResult(List.of(), true));
        }
        List<String> certain = analysis.certainTerms(search.text());
        Tuple parameters = Tuple.of(
                search.scope().owner(),
                search.scope().project(),
                search.text(),
                search.kindNames(),
                (long) search.limit(),
                search.session());
        String statement = STRICT;
        if (!certain.isEmpty()) {
            statement = STRICT_WORDS;
            parameters.addString(LexicalQuery.allOf(certain));
        }
        return rows(statement, parameters, deadline).map(rows -> new LexicalResult(inOrder(rows), true));
    }

    /**
     * Which of these memories were said by somebody whom the question names.
     *
     * @param ids at most a few hundred
     */
    public Future<Set<UUID>> authored(Scope scope, String text, Collection<UUID> ids, Deadline deadline) {
        List<String> names = authorTerms(scope, analysis.query(text).terms());
        if (names.isEmpty() || ids.isEmpty()) {
            return Future.succeededFuture(Set.of());
        }
        Tuple parameters =
                Tuple.of(scope.owner(), scope.project(), ids.toArray(UUID[]::new), LexicalQuery.anyAuthor(names));
        return rows(AUTHORED, parameters, deadline).map(rows -> {
            Set<UUID> found = new HashSet<>();
            rows.forEach(row -> found.add(row.getUUID(0)));
            return found;
        });
    }

    /** While nothing is known of the scope, any term may be a name. */
    private List<String> authorTerms(Scope scope, List<String> terms) {
        ScopeStatistics known = statistics.current(scope);
        return known == null
                ? terms
                : terms.stream().filter(known.authors()::contains).toList();
    }

    private Future<List<LexicalHit>> ranked(
            LexicalSearch search, List<String> terms, @Nullable ScopeStatistics known, Deadline deadline) {
        Future<RowSet<Row>> found = rows(candidates(search, terms, known), deadline);
        Future<Long> documents = known != null ? Future.succeededFuture(0L) : documents(search.scope(), deadline);
        return Future.all(found, documents).map(ignored -> {
            CandidateRanking ranking = new CandidateRanking(terms);
            found.result().forEach(row -> ranking.add(row.getUUID(0), row.getInteger(1), row.getString(2)));
            return ranking.best(known, documents.result(), search.limit());
        });
    }

    private static Statement candidates(LexicalSearch search, List<String> terms, @Nullable ScopeStatistics known) {
        // A session is small: all terms may find, and its index bounds the rows.
        CandidatePlan plan = search.session() != null ? new CandidatePlan(terms, 0) : CandidatePlan.of(terms, known);
        Tuple parameters = Tuple.of(
                search.scope().owner(),
                search.scope().project(),
                LexicalQuery.anyOf(plan.finding()),
                terms.toArray(String[]::new),
                search.kindNames(),
                (long) CandidatePlan.MAX_ROWS);
        if (search.session() != null) {
            return new Statement(CANDIDATES_SESSION, parameters.addString(search.session()));
        }
        return plan.walk() == 0
                ? new Statement(CANDIDATES, parameters)
                : new Statement(CANDIDATES_NEWEST, parameters.addLong((long) plan.walk()));
    }

    private Future<List<LexicalHit>> newest(LexicalSearch search, Deadline deadline) {
        Tuple parameters =
                Tuple.of(search.scope().owner(), search.scope().project(), search.kindNames(), (long) search.limit());
        Future<RowSet<Row>> rows = search.session() == null
                ? rows(NEWEST, parameters, deadline)
                : rows(NEWEST_SESSION, parameters.addString(search.session()), deadline);
        return rows.map(LexicalLeg::inOrder);
    }

    private Future<Long> documents(Scope scope, Deadline deadline) {
        return rows(TOTALS, Tuple.of(scope.owner(), scope.project()), deadline)
                .map(rows -> rows.iterator().next().getLong(0));
    }

    private Future<RowSet<Row>> rows(Statement statement, Deadline deadline) {
        return rows(statement.sql, statement.parameters, deadline);
    }

    private Future<RowSet<Row>> rows(String sql, Tuple parameters, Deadline deadline) {
        return database.connection(
                deadline, connection -> connection.preparedQuery(sql).execute(parameters));
    }

    private static List<LexicalHit> inOrder(RowSet<Row> rows) {
        List<LexicalHit> hits = new ArrayList<>();
        for (Row row : rows) {
            hits.add(new LexicalHit(row.getUUID(0), 1.0 / (1 + hits.size())));
        }
        return hits;
    }

    private record Statement(String sql, Tuple parameters) {}
}
