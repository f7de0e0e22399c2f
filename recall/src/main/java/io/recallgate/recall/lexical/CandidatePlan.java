package io.recallgate.recall.lexical;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Which terms find candidates. The rarest decide who is on top, so they find; the common ones only add to the score of
 * what was found. That bounds the rows that are read, whatever the question and however many memories there are. Pure.
 *
 * @param finding terms of which a candidate has at least one
 * @param walk zero, or: even the rarest term is too common, so look among that many of the newest memories only
 */
record CandidatePlan(List<String> finding, int walk) {

    /**
     * About how many candidates are read: three times the hundred that leave, at some six microseconds each; and of common
     * words as many more memories are walked for them.
     */
    static final int BUDGET_ROWS = 300;

    /** The bound where statistics are stale or absent. */
    static final int MAX_ROWS = 4_000;

    /** How many of the newest memories are walked at most; some ten milliseconds. */
    static final int MAX_WALK = 20_000;

    CandidatePlan {
        finding = List.copyOf(finding);
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
            return new CandidatePlan(terms, 0);
        }
        ToLongFunction<String> having = term -> Math.max(counted.getOrDefault(term, 0), statistics.rows(term));
        List<String> rarestFirst = new ArrayList<>(terms);
        rarestFirst.sort(Comparator.comparingLong(having).thenComparing(Comparator.naturalOrder()));
        List<String> finding = new ArrayList<>();
        long rows = 0;
        for (String term : rarestFirst) {
            rows += having.applyAsLong(term);
            if (rows > BUDGET_ROWS && !finding.isEmpty()) {
                break;
            }
            finding.add(term);
        }
        long rarest = having.applyAsLong(rarestFirst.get(0));
        if (rarest <= BUDGET_ROWS) {
            return new CandidatePlan(finding, 0);
        }
        long walk = BUDGET_ROWS * Math.max(statistics.documents(), rarest) / rarest;
        return new CandidatePlan(finding, (int) Math.min(MAX_WALK, walk));
    }
}
