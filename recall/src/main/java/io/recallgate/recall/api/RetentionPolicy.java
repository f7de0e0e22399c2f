package io.recallgate.recall.api;

import java.util.Map;

/**
 * How long memories are kept: days since a memory was stored or last changed, by {@code remember} or {@code patch};
 * storing the same again is no change. Pinned ones are kept whatever their age.
 *
 * @param days for every project without a rule of its own; 0 keeps for ever
 * @param overrides days of single projects; 0 keeps for ever
 */
public record RetentionPolicy(int days, Map<Scope, Integer> overrides) {

    /** A hundred years: more is a slip of the pen for 0. */
    public static final int MAX_DAYS = 36_500;

    /** Nothing is ever removed. */
    public static final RetentionPolicy KEEP = new RetentionPolicy(0, Map.of());

    /** Copies the overrides and checks every bound. */
    public RetentionPolicy {
        overrides = Map.copyOf(overrides);
        if (days < 0 || days > MAX_DAYS || overrides.values().stream().anyMatch(each -> each < 0 || each > MAX_DAYS)) {
            throw new IllegalArgumentException("days must be 0 to " + MAX_DAYS);
        }
    }

    /** Days that memories of {@code scope} are kept; 0 for ever. */
    public int days(Scope scope) {
        return overrides.getOrDefault(scope, days);
    }

    /** Whether no project removes anything. */
    public boolean keepsAll() {
        return days == 0 && overrides.values().stream().allMatch(each -> each == 0);
    }
}
