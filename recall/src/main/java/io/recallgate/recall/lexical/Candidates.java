package io.recallgate.recall.lexical;

import io.recallgate.recall.lexical.LexicalQuery.Phrase;
import io.recallgate.recall.rank.IdOrder;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The memories that match a question best by their own words: what the lexical leg looks at more closely.
 *
 * @param search what was looked for
 * @param terms of the question; empty when it has no words, and the newest memories stand in
 * @param phrases of the question
 * @param scorer scores for this question; null when it has no words
 * @param known of the scope when the search began
 * @param best best first
 */
public record Candidates(
        LexicalSearch search,
        List<String> terms,
        List<Phrase> phrases,
        @Nullable QuestionScorer scorer,
        @Nullable ScopeStatistics known,
        List<Candidate> best) {

    static final Comparator<LexicalHit> BEST_FIRST =
            Comparator.comparingDouble(LexicalHit::score).reversed().thenComparing(LexicalHit::memoryId, IdOrder.BYTES);

    /** Copies. */
    public Candidates {
        terms = List.copyOf(terms);
        phrases = List.copyOf(phrases);
        best = List.copyOf(best);
    }

    /** One of them; no counts where the question has no words. */
    record Candidate(LexicalHit hit, @Nullable WordCounts counts, boolean pinned) {}

    /** What was read of a memory. */
    record Read(WordCounts counts, boolean pinned) {}

    /** How each phrase is found. */
    String[] tsqueries() {
        return phrases.stream().map(Phrase::tsquery).toArray(String[]::new);
    }

    /** Ranks what was read, by its own words alone. */
    static List<Candidate> ranked(Map<UUID, Read> read, QuestionScorer scorer) {
        return read.entrySet().stream()
                .map(entry -> new Candidate(
                        scorer.alone(entry.getKey(), entry.getValue().counts()),
                        entry.getValue().counts(),
                        entry.getValue().pinned()))
                .filter(candidate -> candidate.hit.score() > 0)
                .sorted(Comparator.comparing(Candidate::hit, BEST_FIRST))
                .limit(LexicalSearch.MAX_LIMIT)
                .toList();
    }
}
