package io.recallgate.recall.lexical;

import io.recallgate.recall.api.MemoryKind;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * How far memories that follow each other in a session belong together: fully in a conversation, not at all among
 * unrelated notes, whose neighbours must not lend them words. Told by what the memories themselves say, and by nothing
 * else: how much more alike two neighbours are than two memories of the same session that lie farther apart, in standard
 * deviations of the latter. Kinds are told apart, since the same project may hold both. Immutable.
 */
final class Cohesion {

    /** Where nothing is known: a session is what its writer calls one. */
    static final Cohesion ASSUMED = new Cohesion(Map.of());

    /** How far apart the far ones are: well beyond {@link Window#REACH}. */
    static final int FAR = 8;

    /**
     * Below the first, neighbours count nothing, from the second on fully. Conversations had 1.0 to 2.6 with samples of
     * 200, the same turns in random order -0.2 to 0.3: either as they are, or shuffled within each session.
     */
    private static final double NONE = 0.3;

    private static final double FULL = 0.8;

    /** A small sample says little, so it is mixed with so many pairs of a conversation. */
    private static final int ASSUMED_PAIRS = 10;

    private static final double ASSUMED_DIFFERENCE = 1;

    /** Where hardly any two memories share a word, their deviation is next to nothing. */
    private static final double MIN_DEVIATION = 0.01;

    private final Map<MemoryKind, Double> strengths;

    private Cohesion(Map<MemoryKind, Double> strengths) {
        this.strengths = Map.copyOf(strengths);
    }

    /**
     * A look at a session.
     *
     * @param session which
     * @param kind of the memory
     * @param here its words
     * @param next the words of the one after it
     * @param far the words of one farther on; null where the session is not so long
     */
    record Sample(
            String session,
            MemoryKind kind,
            Set<String> here,
            Set<String> next,
            @Nullable Set<String> far) {}

    /** How much the neighbours of a memory of this kind count, 0 to 1. */
    double strength(MemoryKind kind) {
        return strengths.getOrDefault(kind, 1.0);
    }

    /**
     * Of a sample.
     *
     * @param idf how telling a word is
     */
    static Cohesion of(List<Sample> samples, ToDoubleFunction<String> idf) {
        Map<MemoryKind, List<Sample>> byKind = new EnumMap<>(MemoryKind.class);
        for (Sample sample : samples) {
            byKind.computeIfAbsent(sample.kind, ignored -> new ArrayList<>()).add(sample);
        }
        Map<MemoryKind, Double> strengths = new EnumMap<>(MemoryKind.class);
        byKind.forEach((kind, some) -> strengths.put(kind, strength(some, idf)));
        return new Cohesion(strengths);
    }

    private static double strength(List<Sample> samples, ToDoubleFunction<String> idf) {
        double near = 0;
        double far = 0;
        double farSquares = 0;
        int pairs = 0;
        for (int i = 0; i < samples.size(); i++) {
            Sample sample = samples.get(i);
            Set<String> other = far(samples, i);
            if (other != null) {
                double apart = alike(sample.here, other, idf);
                near += alike(sample.here, sample.next, idf);
                far += apart;
                farSquares += apart * apart;
                pairs++;
            }
        }
        double mean = far / Math.max(1, pairs);
        double deviation = Math.sqrt(Math.max(0, farSquares / Math.max(1, pairs) - mean * mean));
        double difference = (near / Math.max(1, pairs) - mean) / Math.max(MIN_DEVIATION, deviation);
        double mixed = (pairs * difference + ASSUMED_PAIRS * ASSUMED_DIFFERENCE) / (pairs + ASSUMED_PAIRS);
        return Math.max(0, Math.min(1, (mixed - NONE) / (FULL - NONE)));
    }

    /** In a short session nothing is far apart; then another session stands in, the next one in the sample. */
    private static @Nullable Set<String> far(List<Sample> samples, int index) {
        Sample sample = samples.get(index);
        if (sample.far != null) {
            return sample.far;
        }
        for (int step = 1; step < samples.size(); step++) {
            Sample other = samples.get((index + step) % samples.size());
            if (!other.session.equals(sample.session)) {
                return other.here;
            }
        }
        return null;
    }

    /** The cosine of two sets of words, each weighted by how telling it is. */
    private static double alike(Set<String> a, Set<String> b, ToDoubleFunction<String> idf) {
        double norm = Math.sqrt(squares(a, idf) * squares(b, idf));
        if (norm == 0) {
            return 0;
        }
        Set<String> shared = new HashSet<>(a);
        shared.retainAll(b);
        return squares(shared, idf) / norm;
    }

    private static double squares(Set<String> words, ToDoubleFunction<String> idf) {
        double sum = 0;
        for (String word : words) {
            double weight = idf.applyAsDouble(word);
            sum += weight * weight;
        }
        return sum;
    }
}
