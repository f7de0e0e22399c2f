package io.recallgate.gateway.probe;

import java.util.EnumMap;
import java.util.Map;

/** The counts of a gate. Confined to it. */
final class Tally {

    private final Map<ProbeOutcome.Verdict, Long> attempts = new EnumMap<>(ProbeOutcome.Verdict.class);
    private final Map<SkipCause, Long> skipped = new EnumMap<>(SkipCause.class);
    private long chargedNanos;
    private long abandoned;
    private long dropped;
    private long fenced;

    void attempt(ProbeOutcome outcome, long charged) {
        attempts.merge(outcome.verdict(), 1L, Long::sum);
        chargedNanos += charged;
        if (outcome.abandoned()) {
            abandoned++;
        }
    }

    void skipped(SkipCause cause, long ticks) {
        if (ticks > 0) {
            skipped.merge(cause, ticks, Long::sum);
        }
    }

    void dropped() {
        dropped++;
    }

    void fenced() {
        fenced++;
    }

    ProbeView.Counts counts() {
        return new ProbeView.Counts(attempts, skipped, chargedNanos, abandoned, dropped, fenced);
    }
}
