package io.recallgate.recall.lexical;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Which terms find candidates. The rarest decide who is on top, so they find; the common ones only add to the score of
 * what was found, unless the rarest find too little: then what has the common ones is looked for in blocks, and among the
 * newest memories. That bounds the rows that are read, whatever the question and however many memories there are. Pure.
 *
 * @param finding rare terms, of which a candidate has at least one; may be empty
 * @param common the others, rarest first
 * @param walk zero, or how many of the newest memories are looked through for the first of the common ones
 */
record CandidatePlan(List<String> finding, List<String> common, int walk) {

    /**
     * About how many candidates are read: three times the hundred that leave, at some six microseconds each; and of common
     * words as many more memories are walked for them.
     */
    static final int BUDGET_ROWS = 300;

    /** The bound where statistics are stale or absent. */
    static final int MAX_ROWS = 4_000;

    /** How many of the newest memories are walked at most; some ten milliseconds. */
    static final int MAX_WALK = 20_000;

    /** Terms of which postings are read. */
    private static final int MAX_SCORED = 12;

    /** Postings that are read: three bytes and some ten nanoseconds each. */
    private static final long BUDGET_POSTINGS = 60_000;

    CandidatePlan {
        finding = List.copyOf(finding);
        common = List.copyOf(common);
    }

    /**
     * Plans.
     *
     * @param terms one or more
     * @param statistics null when nothing is known yet
     */
    static CandidatePlan of(List<String> terms, @Nullable ScopeStatistics statistics) {
        return of(terms, statistics, Map.of());
    }

    /**
     * Plans.
     *
     * @param counted in how many memories some of the terms are, where that is known better than by statistics
     */
    static CandidatePlan of(List<String> terms, @Nullable ScopeStatistics statistics, Map<String, Integer> counted) {
        if (statistics == null) {
            return new CandidatePlan(terms, List.of(), 0);
        }
        ToLongFunction<String> having = term -> Math.max(counted.getOrDefault(term, 0), statistics.rows(term));
        List<String> rarestFirst = rarestFirst(terms, having);
        int rare = 0;
        long rows = 0;
        while (rare < rarestFirst.size() && rows + having.applyAsLong(rarestFirst.get(rare)) <= BUDGET_ROWS) {
            rows += having.applyAsLong(rarestFirst.get(rare++));
        }
        List<String> common = rarestFirst.subList(rare, rarestFirst.size());
        if (common.isEmpty() || rows >= LexicalSearch.MAX_LIMIT) {
            return new CandidatePlan(rarestFirst.subList(0, rare), common, 0);
        }
        // A word that no memory has is the rarest of all, and must not be the only one that is looked for.
        long rarest = having.applyAsLong(common.get(0));
        long walk = BUDGET_ROWS * Math.max(statistics.documents(), rarest) / rarest;
        return new CandidatePlan(rarestFirst.subList(0, rare), common, (int) Math.min(MAX_WALK, walk));
    }

    /** The terms whose postings are read, rarest first: one at least, and as many more as the budget allows. */
    static List<String> scored(List<String> terms, ScopeStatistics statistics) {
        List<String> scored = new ArrayList<>();
        long rows = 0;
        for (String term : rarestFirst(terms, statistics::rows)) {
            rows += statistics.rows(term);
            if (!scored.isEmpty() && (rows > BUDGET_POSTINGS || scored.size() == MAX_SCORED)) {
                break;
            }
            scored.add(term);
        }
        return scored;
    }

    private static List<String> rarestFirst(List<String> terms, ToLongFunction<String> having) {
        List<String> sorted = new ArrayList<>(terms);
        sorted.sort(Comparator.comparingLong(having).thenComparing(Comparator.naturalOrder()));
        return sorted;
    }
}
