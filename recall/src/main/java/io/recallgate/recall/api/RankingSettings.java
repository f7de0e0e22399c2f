package io.recallgate.recall.api;

import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;

/**
 * How hits are ordered.
 *
 * @param fusion how words and meaning become one order
 * @param signals what else counts
 */
public record RankingSettings(FusionMethod fusion, Set<RankingSignal> signals) {

    /** The documented defaults: scores, and every signal. */
    public static final RankingSettings DEFAULTS =
            new RankingSettings(FusionMethod.SCORE, EnumSet.allOf(RankingSignal.class));

    /** Copies the signals. */
    public RankingSettings {
        signals = Set.copyOf(signals);
    }

    /** Whether a signal counts. */
    public boolean has(RankingSignal signal) {
        return signals.contains(signal);
    }

    /** How two orders become one. */
    public enum FusionMethod {
        /** The weighted sum of scaled scores. */
        SCORE,
        /** Reciprocal ranks with k = 60 (Cormack et al., 2009). */
        RRF;

        /** As users write it. */
        public String wireName() {
            return name().toLowerCase(Locale.ROOT);
        }
    }
}
