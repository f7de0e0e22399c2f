package io.recallgate.gateway.probe;

import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What an operator should know of a probe's pace. Never a reason to call the gateway degraded: what restarts it for that
 * would only have it probe more.
 */
public enum ProbeWarning {
    /** There is no floor: the duty is not between 0 and 1. */
    PACING_OFF,
    /** An attempt may take longer than the cadence. */
    BUDGET_ABOVE_CADENCE,
    /** The last attempt was charged more than duty · cadence: ticks are left out. */
    TICKS_SKIPPED,
    /** It was charged as much as the cadence, or more. */
    COST_ABOVE_CADENCE;

    /** As in JSON: {@code ticks-skipped}. */
    public String wireName() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** Those that hold. */
    static Set<ProbeWarning> of(ProbeOptions options, @Nullable Long chargedNanos) {
        Set<ProbeWarning> holding = EnumSet.noneOf(ProbeWarning.class);
        if (!options.isEnabled()) {
            return holding;
        }
        if (!options.isPaced()) {
            holding.add(PACING_OFF);
        }
        if (options.budgetNanos() > options.cadenceNanos()) {
            holding.add(BUDGET_ABOVE_CADENCE);
        }
        if (chargedNanos != null && chargedNanos > options.affordableNanos()) {
            holding.add(TICKS_SKIPPED);
        }
        if (chargedNanos != null && chargedNanos >= options.cadenceNanos()) {
            holding.add(COST_ABOVE_CADENCE);
        }
        return holding;
    }
}
