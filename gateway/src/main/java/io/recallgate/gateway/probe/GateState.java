package io.recallgate.gateway.probe;

import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;

/** Where a probe's gate is; the documents show its edges. */
public enum GateState {
    /** No schedule, and nothing on its way. */
    STOPPED,
    /** Until the next attempt is due. */
    WAITING,
    /** An attempt is on its way. */
    FLYING,
    /** One is on its way whose result nobody wants any more: it is about another model. */
    SUPERSEDED,
    /** No schedule, but an attempt of before is still on its way. */
    LEFT,
    /** Too many failures in a row: waits for somebody to run it, or for another model. */
    GAVE_UP;

    /** The states that may follow this one. */
    public Set<GateState> next() {
        return switch (this) {
            case STOPPED -> EnumSet.of(WAITING, GAVE_UP);
            case WAITING -> EnumSet.of(FLYING, STOPPED);
            case FLYING -> EnumSet.of(WAITING, SUPERSEDED, GAVE_UP, LEFT);
            case SUPERSEDED -> EnumSet.of(WAITING, LEFT);
            case LEFT -> EnumSet.of(STOPPED, FLYING, SUPERSEDED);
            case GAVE_UP -> EnumSet.of(WAITING, STOPPED);
        };
    }

    /** Whether an attempt is on its way. */
    public boolean isFlying() {
        return this == FLYING || this == SUPERSEDED || this == LEFT;
    }

    /** Whether there is a schedule. */
    public boolean isScheduled() {
        return this != STOPPED && this != LEFT;
    }

    /** As in JSON: {@code gave-up}. */
    public String wireName() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
