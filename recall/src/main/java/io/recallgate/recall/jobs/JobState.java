package io.recallgate.recall.jobs;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;

/** The states of an embedding job and who moves it. The database refuses every other edge. */
public enum JobState {
    /**
     * Waits to be claimed: after a write, a release at shutdown, an operator's retry, or because its runner found it
     * under its own name without working on it, as after an outcome that the database did not take.
     */
    AVAILABLE,
    /** Claimed by a runner that holds its lease. */
    RUNNING,
    /** Waits until its time for another attempt. */
    RETRYABLE,
    /** Its vector was committed. */
    DONE,
    /** Failed too often, or beyond hope; an operator can make it available again. */
    FAILED,
    /** Its memory's content changed; another job took over. */
    CANCELLED;

    /** As stored and shown. */
    public String wireName() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** The state of this {@link #wireName}. */
    static JobState of(String wireName) {
        return valueOf(wireName.toUpperCase(Locale.ROOT));
    }

    /** The states it may go to. */
    public Set<JobState> next() {
        return switch (this) {
            case AVAILABLE -> EnumSet.of(RUNNING, CANCELLED);
            case RUNNING -> EnumSet.of(DONE, RETRYABLE, FAILED, CANCELLED, AVAILABLE);
            case RETRYABLE -> EnumSet.of(RUNNING, CANCELLED);
            case FAILED -> EnumSet.of(AVAILABLE);
            case DONE, CANCELLED -> EnumSet.noneOf(JobState.class);
        };
    }

    /** Whether it has ended. */
    public boolean isFinished() {
        return this == DONE || this == FAILED || this == CANCELLED;
    }

    /** Every state's wire name, in order. */
    static Iterable<String> wireNames() {
        return Arrays.stream(values()).map(JobState::wireName).toList();
    }
}
