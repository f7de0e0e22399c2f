package io.recallgate.gateway.probe;

import java.util.Locale;

/** Why a tick of the cadence began no attempt. */
public enum SkipCause {
    /** One was on its way. */
    FLIGHT,
    /** The attempt before cost so much that the next has to wait. */
    PACING,
    /** The attempt before failed. */
    BACKOFF,
    /** Too many failures: nothing is begun by schedule. */
    GAVE_UP,
    /** The process was too busy, or asleep, to notice in time. */
    LATE;

    /** As in JSON and metrics: {@code gave-up}. */
    public String wireName() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
