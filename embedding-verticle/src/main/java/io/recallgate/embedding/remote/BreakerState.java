package io.recallgate.embedding.remote;

import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;

/** Whether queries reach the provider; the documents show its edges. */
public enum BreakerState {
    /** They do. */
    CLOSED,
    /** They do not: it let too many of them wait in vain. */
    OPEN,
    /** One does, and decides about the others. */
    HALF_OPEN;

    /** The states that may follow this one. */
    public Set<BreakerState> next() {
        return switch (this) {
            case CLOSED -> EnumSet.of(OPEN);
            case OPEN -> EnumSet.of(HALF_OPEN);
            case HALF_OPEN -> EnumSet.of(CLOSED, OPEN);
        };
    }

    /** As in JSON and metrics: {@code half-open}. */
    public String wireName() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
