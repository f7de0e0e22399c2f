package io.recallgate.recall.lexical;

import io.recallgate.recall.api.MemoryKind;
import io.recallgate.recall.api.RankingSignal;
import io.recallgate.recall.api.Scope;
import io.recallgate.recall.database.Database;
import io.recallgate.recall.database.Plans;
import io.recallgate.recall.database.Statements;
import io.recallgate.recall.lexical.Candidates.Candidate;
import io.recallgate.recall.lexical.QuestionScorer.Asked;
import io.recallgate.time.CancelSignal;
import io.recallgate.time.Deadline;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.Tuple;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Finds memories by words: candidates by the index on {@code words}, ranked with BM25 from their stored analysis. May be
 * called on any thread. Every future fails with a {@link io.recallgate.failure.FailureException} of the database.
 */
public final class LexicalLeg {

    /**
     * How many of the best of each leg have their neighbours read: some 250 rows of both and four milliseconds of the
     * server, where 40 take seven and find no more (recall@10 .853 against .855), nor do 100.
     */
    static final int ANCHORS = 20;

    /** Memories, words of them, and distinct words, that are looked through for beginnings: some ten milliseconds. */
    private static final long PREFIX_MEMORIES = 2_000;

    private static final long PREFIX_WORDS = 100_000;
    private static final long PREFIX_ROWS = 200;

    private static final String NEWEST = Statements.load("lexical/newest");
    private static final String NEWEST_SESSION = Statements.load("lexical/newest-session");
    private static final String CONTEXT = Statements.load("lexical/context");
    private static final String PREFIXES = Statements.load("lexical/prefixes");
    private static final String TOTALS = Statements.load("lexical/totals");

    private final Database database;
    private final LuceneAnalysis analysis;
    private final TermStatistics statistics;
    private final LiteralSearch literals;
    private final CancelSignal cancel;

    /** One that looks for literal texts without an index of trigrams. */
    public LexicalLeg(Database database, LuceneAnalysis analysis, TermStatistics statistics) {
        this(database, analysis, statistics, () -> false);
    }

    /**
     * Holds no state of its own.
     *
     * @param trigrams whether there is an index of trigrams; read on each use
     */
    public LexicalLeg(Database database, LuceneAnalysis analysis, TermStatistics statistics, BooleanSupplier trigrams) {
        this(database, analysis, statistics, new LiteralSearch(database, analysis, trigrams), new CancelSignal());
    }

    private LexicalLeg(
            Database database,
            LuceneAnalysis analysis,
            TermStatistics statistics,
            LiteralSearch literals,
            CancelSignal cancel) {
        this.database = database;
        this.analysis = analysis;
        this.statistics = statistics;
        this.literals = literals;
        this.cancel = cancel;
    }

    /** The same for one caller, whose statements end on the server when the signal fires. */
    public LexicalLeg cancelledBy(CancelSignal signal) {
        return new LexicalLeg(database, analysis, statistics, literals, signal);
    }

    /** Whether {@link #search} looks at a part of this question only: a pasted document, or one of very many words. */
    public boolean isTruncated(String text) {
        return analysis.isTruncated(text);
    }

    /** The memories that match best, with their neighbours; for a question without words, the newest. */
    public Future<LexicalResult> search(LexicalSearch search, Deadline deadline) {
        return candidates(search, deadline).compose(candidates -> inContext(candidates, List.of(), deadline));
    }

    /** The memories that match best by their own words; for a question without words, the newest. */
    public Future<Candidates> candidates(LexicalSearch search, Deadline deadline) {
        ScopeStatistics known = statistics.current(search.scope());
        return languages(search, known, deadline)
                .compose(languages -> expanded(search, languages, deadline))
                .compose(asked -> asked.terms().isEmpty()
                        ? newest(search, known, deadline)
                        : new CandidateSearch(database, cancel)
                                .search(
                                        search,
                                        asked,
                                        known,
                                        known == null
                                                ? documents(search.scope(), deadline)
                                                : Future.succeededFuture(known.documents()),
                                        deadline));
    }

    /** Where nothing is known of a scope yet, its languages are: without them a question might find nothing. */
    private Future<Set<Language>> languages(LexicalSearch search, @Nullable ScopeStatistics known, Deadline deadline) {
        if (known != null) {
            return Future.succeededFuture(known.languages());
        }
        return analysis.asksForLanguages() && !search.text().isBlank()
                ? totals(search.scope(), deadline).map(TermStatistics::languages)
                : Future.succeededFuture(Set.of());
    }

    /**
     * Ranks candidates, other memories and the neighbours of both, by their own words and those around them.
     *
     * @param others memories found otherwise, nearest first, at most {@link LexicalSearch#MAX_LIMIT}
     */
    public Future<LexicalResult> inContext(Candidates candidates, List<UUID> others, Deadline deadline) {
        QuestionScorer scorer = candidates.scorer();
        if (scorer == null) {
            return Future.succeededFuture(new LexicalResult(
                    candidates.best().stream().map(Candidate::hit).toList(), false));
        }
        LexicalSearch search = candidates.search();
        Set<UUID> anchors = new LinkedHashSet<>();
        candidates.best().stream()
                .limit(ANCHORS)
                .forEach(candidate -> anchors.add(candidate.hit().memoryId()));
        others.stream().limit(ANCHORS).forEach(anchors::add);
        List<UUID> alone = others.subList(Math.min(ANCHORS, others.size()), others.size());
        boolean neighbours = search.ranking().has(RankingSignal.NEIGHBOURS);
        Tuple parameters = Tuple.of(
                search.scope().owner(),
                search.scope().project(),
                anchors.toArray(UUID[]::new),
                alone.toArray(UUID[]::new),
                candidates.terms().toArray(String[]::new));
        parameters.addLong(neighbours ? (long) Window.REACH : 0L).addArrayOfString(candidates.tsqueries());
        return rows(CONTEXT, parameters, Plans.KEPT, deadline).map(rows -> {
            ContextRanking ranking = new ContextRanking(candidates.terms());
            for (Row row : rows) {
                Remembered memory =
                        new Remembered(row.getUUID(0), row.getUUID(1), kind(row), row.getBoolean(3), row.getBoolean(4));
                ranking.add(memory, row.getInteger(5), row.getBuffer(6), row.getInteger(7));
            }
            return result(candidates, scorer, ranking);
        });
    }

    /**
     * A question without the names of known authors, for its meaning: a name is near to everything its bearer said.
     *
     * @return the text as it is where nothing is known of the scope, or nothing would be left
     */
    public String withoutNames(Scope scope, String text) {
        ScopeStatistics known = statistics.current(scope);
        return known == null ? text : analysis.without(text, known.authors(), known.languages());
    }

    /** The memories whose content contains the text literally, newest first; see {@link LiteralSearch}. */
    public Future<LexicalResult> strict(LexicalSearch search, Deadline deadline) {
        return literals.search(search, deadline, cancel).map(ids -> new LexicalResult(inOrder(ids), true));
    }

    private static LexicalResult result(Candidates candidates, QuestionScorer scorer, ContextRanking ranking) {
        LexicalSearch search = candidates.search();
        Cohesion cohesion = candidates.known() == null || !search.ranking().has(RankingSignal.COHESION)
                ? Cohesion.ASSUMED
                : candidates.known().cohesion();
        List<LexicalHit> hits = ranking.scores(scorer, cohesion::strength, search::admits);
        Set<UUID> authored = ranking.authored();
        Set<UUID> pinned = ranking.pinned();
        for (Candidate candidate : candidates.best()) {
            // Those whose neighbours were not read.
            if (!ranking.has(candidate.hit().memoryId())) {
                hits.add(candidate.hit());
                if (candidate.pinned()) {
                    pinned.add(candidate.hit().memoryId());
                }
                if (candidate.counts() != null && candidate.counts().authored()) {
                    authored.add(candidate.hit().memoryId());
                }
            }
        }
        hits.sort(Candidates.BEST_FIRST);
        return new LexicalResult(hits.subList(0, Math.min(search.limit(), hits.size())), true, authored, pinned);
    }

    /** The terms of a question, and the words that begin as it asks for. */
    private Future<Asked> expanded(LexicalSearch search, Set<Language> languages, Deadline deadline) {
        LexicalQuery query = analysis.query(search.text(), languages);
        List<String> prefixes = query.prefixes();
        if (prefixes.isEmpty()) {
            return Future.succeededFuture(new Asked(query.terms(), query.phrases(), Map.of()));
        }
        Tuple parameters = Tuple.of(search.scope().owner(), search.scope().project(), Prefixes.tsquery(prefixes))
                .addArrayOfString(Prefixes.patterns(prefixes))
                .addString(search.session())
                .addLong(PREFIX_MEMORIES)
                .addLong(PREFIX_WORDS)
                .addLong(PREFIX_ROWS);
        return rows(PREFIXES, parameters, deadline).map(rows -> {
            Map<String, Integer> counted = new LinkedHashMap<>();
            rows.forEach(row -> {
                String lexeme = row.getString(0);
                if (counted.size() < Prefixes.MAX_WORDS && !isCovered(lexeme, prefixes, search.text(), languages)) {
                    counted.put(lexeme, row.getInteger(1));
                }
            });
            Set<String> terms = new LinkedHashSet<>(query.terms());
            terms.addAll(counted.keySet());
            return new Asked(List.copyOf(terms), query.phrases(), counted);
        });
    }

    /** Whether the stem of a word begins like the word, in whichever language, and so stands for it. */
    private boolean isCovered(String lexeme, List<String> prefixes, String question, Set<Language> languages) {
        return WordPlaces.isMarked(lexeme)
                && analysis.stems(WordPlaces.word(lexeme), question, languages).stream()
                        .allMatch(stem -> prefixes.stream().anyMatch(stem::startsWith));
    }

    private Future<Candidates> newest(LexicalSearch search, @Nullable ScopeStatistics known, Deadline deadline) {
        Tuple parameters =
                Tuple.of(search.scope().owner(), search.scope().project(), search.kindNames(), (long) search.limit());
        if (search.session() != null) {
            parameters.addString(search.session());
        }
        Future<RowSet<Row>> rows = rows(
                search.session() == null ? NEWEST : NEWEST_SESSION,
                parameters.addBoolean(search.includeSuperseded()),
                deadline);
        return rows.map(found -> new Candidates(
                search,
                List.of(),
                List.of(),
                null,
                known,
                inOrder(ids(found)).stream()
                        .map(hit -> new Candidate(hit, null, false))
                        .toList()));
    }

    private Future<Long> documents(Scope scope, Deadline deadline) {
        return totals(scope, deadline).map(totals -> totals.getLong(0));
    }

    private Future<Row> totals(Scope scope, Deadline deadline) {
        return rows(TOTALS, Tuple.of(scope.owner(), scope.project()), deadline)
                .map(rows -> rows.iterator().next());
    }

    private Future<RowSet<Row>> rows(String sql, Tuple parameters, Deadline deadline) {
        return rows(sql, parameters, Plans.EACH_TIME, deadline);
    }

    private Future<RowSet<Row>> rows(String sql, Tuple parameters, Plans plans, Deadline deadline) {
        return database.connection(deadline, cancel, plans, connection -> connection
                .preparedQuery(sql)
                .execute(parameters));
    }

    private static List<UUID> ids(RowSet<Row> rows) {
        List<UUID> ids = new ArrayList<>();
        rows.forEach(row -> ids.add(row.getUUID(0)));
        return ids;
    }

    private static List<LexicalHit> inOrder(List<UUID> ids) {
        List<LexicalHit> hits = new ArrayList<>();
        ids.forEach(id -> hits.add(new LexicalHit(id, 1.0 / (1 + hits.size()), Map.of())));
        return hits;
    }

    private static MemoryKind kind(Row row) {
        return MemoryKind.valueOf(row.getString(2).toUpperCase(Locale.ROOT));
    }
}
