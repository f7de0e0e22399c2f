package io.recallgate.recall.lexical;

import io.recallgate.recall.rank.IdOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Ranks candidates with {@link Bm25}. One use, one thread; a microsecond or so for each candidate. */
final class CandidateRanking {

    private final List<String> terms;
    private final Map<String, Integer> indexes = new HashMap<>();
    private final List<Candidate> candidates = new ArrayList<>();

    /** @param terms distinct terms of the question */
    CandidateRanking(List<String> terms) {
        this.terms = terms;
        for (int i = 0; i < terms.size(); i++) {
            indexes.put(terms.get(i), i);
        }
    }

    /**
     * Takes a candidate.
     *
     * @param length its terms
     * @param words its words in text form; those that are not asked for are skipped
     */
    void add(UUID id, int length, String words) {
        double[] frequencies = new double[terms.size()];
        TsText.read(words, (lexeme, position, weight) -> {
            Integer index = indexes.get(lexeme);
            if (index != null) {
                frequencies[index] += LexicalField.frequency(position, weight);
            }
        });
        candidates.add(new Candidate(id, length, frequencies));
    }

    /**
     * The best, ties by id.
     *
     * @param statistics null when nothing is known yet: then the candidates, who are all memories with any term, tell
     *     how rare each term is
     * @param documents how many memories there are, if {@code statistics} is null
     */
    List<LexicalHit> best(@Nullable ScopeStatistics statistics, long documents, int limit) {
        double[] idf = new double[terms.size()];
        for (int i = 0; i < idf.length; i++) {
            idf[i] = statistics == null
                    ? Bm25.idf(Math.max(documents, candidates.size()), having(i))
                    : Bm25.idf(statistics.documents(), statistics.frequency(terms.get(i)));
        }
        double averageLength = statistics == null
                ? candidates.stream().mapToInt(Candidate::length).average().orElse(1)
                : statistics.averageLength();
        return candidates.stream()
                .map(candidate -> new LexicalHit(candidate.id, candidate.score(idf, averageLength)))
                .sorted(Comparator.comparingDouble(LexicalHit::score)
                        .reversed()
                        .thenComparing(LexicalHit::memoryId, IdOrder.BYTES))
                .limit(limit)
                .toList();
    }

    private long having(int term) {
        return candidates.stream()
                .filter(candidate -> candidate.frequencies[term] > 0)
                .count();
    }

    private static final class Candidate {
        private final UUID id;
        private final int length;
        private final double[] frequencies;

        Candidate(UUID id, int length, double[] frequencies) {
            this.id = id;
            this.length = length;
            this.frequencies = frequencies;
        }

        int length() {
            return length;
        }

        double score(double[] idf, double averageLength) {
            double score = 0;
            for (int i = 0; i < idf.length; i++) {
                if (frequencies[i] > 0) {
                    score += Bm25.score(idf[i], frequencies[i], length, averageLength);
                }
            }
            return score;
        }

        @Override
        public String toString() {
            return id + Arrays.toString(frequencies);
        }
    }
}
