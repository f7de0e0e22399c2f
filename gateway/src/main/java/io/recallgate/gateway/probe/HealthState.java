package io.recallgate.gateway.probe;

import java.util.Locale;

/** What a probe says about the gateway. */
public enum HealthState {
    /** It has no schedule, by configuration. */
    DISABLED(false),
    /** No result yet about what is probed now, and no reason to worry. */
    PENDING(false),
    /** The last attempt worked, and is young enough. */
    HEALTHY(false),
    /** The last attempt worked and is old; another one is on its way and within its budget: slow, but running. */
    SLOW(false),
    /** An attempt is on its way beyond its budget: it will not end by itself. */
    STUCK(true),
    /** The next attempt is overdue and none is on its way: the schedule is dead. */
    STALE(true),
    /** The last attempt failed. */
    FAILED(true),
    /** The last attempt failed, and another one is on its way. */
    RECOVERING(true);

    private final boolean degrades;

    HealthState(boolean degrades) {
        this.degrades = degrades;
    }

    /** Whether the gateway counts as degraded for it. It is never unready for a probe. */
    public boolean degrades() {
        return degrades;
    }

    /** As in JSON and metrics: {@code slow-but-running}. */
    public String wireName() {
        return this == SLOW ? "slow-but-running" : name().toLowerCase(Locale.ROOT);
    }
}
