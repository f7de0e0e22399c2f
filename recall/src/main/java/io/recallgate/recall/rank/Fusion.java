package io.recallgate.recall.rank;

import io.recallgate.recall.api.RankingSettings.FusionMethod;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;

/**
 * Makes one order of several signals. The usual way adds up scaled scores, and not ranks: how far the first is ahead of
 * the second says something, and measured on conversations the sum found three in a hundred more of the evidence than
 * reciprocal ranks did (DESIGN-DECISIONS.md).
 *
 * <p>Words count by their share of the best BM25 score; meaning by where its cosine lies between the nearest and the
 * farthest of all that are ranked, since the cosines of one query lie close together and far from zero. Among these are
 * memories that only the words or a neighbour brought in, so the farthest is far. A memory whose author the question
 * names gets a fixed part more. The weights were measured on conversations between two people and are flat around these
 * values.
 */
public final class Fusion {

    /** Name of the words' part. */
    public static final String LEXICAL = "lexical";
    /** Name of the meaning's part. */
    public static final String VECTOR = "vector";
    /** Name of the author's part. */
    public static final String AUTHOR = "author";

    /** Name of the part of what is pinned. */
    public static final String PINNED = "pinned";

    private static final double LEXICAL_WEIGHT = 0.5;
    private static final double VECTOR_WEIGHT = 0.5;
    private static final double AUTHOR_WEIGHT = 0.2;

    /** What is pinned goes ahead of what is about as good, and not ahead of an answer. */
    private static final double PINNED_WEIGHT = 0.05;

    /** Of reciprocal ranks, as in the paper of Cormack, Clarke and Büttcher (2009). */
    private static final double RRF_K = 60;

    private static final Comparator<Fused> BEST_FIRST =
            Comparator.comparingDouble(Fused::score).reversed().thenComparing(Fused::id, IdOrder.BYTES);

    private Fusion() {}

    /**
     * The fused order.
     *
     * @param pool each memory once, in any order
     * @param limit how many to return
     */
    public static List<Fused> fuse(Collection<Evidence> pool, FusionMethod method, int limit) {
        Scale scale = Scale.of(pool);
        return pool.stream()
                .map(one -> method == FusionMethod.RRF ? byRank(one) : byScore(one, scale))
                .sorted(BEST_FIRST)
                .limit(limit)
                .toList();
    }

    /**
     * The order of one leg as it is, but for what is pinned, which gets the same share of the best score as it gets of the
     * words' in a fused order.
     *
     * @param lexical best first
     */
    public static List<Fused> lexicalOnly(List<Evidence> lexical, int limit) {
        double best = lexical.isEmpty() ? 0 : lexical.get(0).words();
        List<Fused> order = new ArrayList<>();
        for (Evidence one : lexical) {
            Parts parts = new Parts();
            parts.put(LEXICAL, one.words());
            if (one.pinned()) {
                parts.put(PINNED, best * PINNED_WEIGHT / LEXICAL_WEIGHT);
            }
            order.add(parts.fused(one));
        }
        // Stable: what has the same score stays as it was.
        order.sort(Comparator.comparingDouble(Fused::score).reversed());
        return List.copyOf(order.subList(0, Math.min(limit, order.size())));
    }

    private static Fused byScore(Evidence one, Scale scale) {
        Parts parts = new Parts();
        if (one.lexicalRank() != null) {
            parts.put(LEXICAL, LEXICAL_WEIGHT * scale.words(one.words()));
        }
        if (one.similarity() != null) {
            parts.put(VECTOR, VECTOR_WEIGHT * scale.meaning(one.similarity()));
        }
        if (one.authored()) {
            parts.put(AUTHOR, AUTHOR_WEIGHT);
        }
        if (one.pinned()) {
            parts.put(PINNED, PINNED_WEIGHT);
        }
        return parts.fused(one);
    }

    /** The author's part, and that of what is pinned, is the same share of the best rank's as it is of the best score. */
    private static Fused byRank(Evidence one) {
        Parts parts = new Parts();
        if (one.lexicalRank() != null) {
            parts.put(LEXICAL, 1 / (RRF_K + one.lexicalRank()));
        }
        if (one.vectorRank() != null) {
            parts.put(VECTOR, 1 / (RRF_K + one.vectorRank()));
        }
        if (one.authored()) {
            parts.put(AUTHOR, AUTHOR_WEIGHT / (LEXICAL_WEIGHT * (RRF_K + 1)));
        }
        if (one.pinned()) {
            parts.put(PINNED, PINNED_WEIGHT / (LEXICAL_WEIGHT * (RRF_K + 1)));
        }
        return parts.fused(one);
    }

    /** What the scores of one pool are compared with. */
    private record Scale(double mostWords, double nearest, double farthest) {
        static Scale of(Collection<Evidence> pool) {
            double mostWords = pool.stream().mapToDouble(Evidence::words).max().orElse(0);
            OptionalDouble nearest = pool.stream()
                    .filter(one -> one.similarity() != null)
                    .mapToDouble(Scale::similarity)
                    .max();
            OptionalDouble farthest = pool.stream()
                    .filter(one -> one.similarity() != null)
                    .mapToDouble(Scale::similarity)
                    .min();
            return new Scale(mostWords, nearest.orElse(0), farthest.orElse(0));
        }

        private static double similarity(Evidence one) {
            return one.similarity() == null ? 0 : one.similarity();
        }

        /** Where every score is zero, all are equally good. */
        double words(double score) {
            return mostWords > 0 ? score / mostWords : 1;
        }

        double meaning(double cosine) {
            return nearest > farthest ? (cosine - farthest) / (nearest - farthest) : 1;
        }
    }

    private static final class Parts {
        private final Map<String, Double> signals = new HashMap<>();
        private double score;

        void put(String signal, double part) {
            signals.put(signal, part);
            score += part;
        }

        /** The words' part is told apart in the shares that its fields have of the BM25 score. */
        Fused fused(Evidence one) {
            Map<String, Double> wordParts = new HashMap<>();
            double lexical = signals.getOrDefault(LEXICAL, 0.0);
            one.wordParts().forEach((part, words) -> wordParts.put(part, lexical * words / one.words()));
            return new Fused(one.id(), score, one.lexicalRank(), one.vectorRank(), signals, wordParts);
        }
    }
}
