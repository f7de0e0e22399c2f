package io.recallgate.recall.read;

import java.util.EnumSet;
import java.util.Set;

/** Where a read is. */
public enum JobState {
    /** Waits for a worker. */
    WAITING,
    /** Runs, and somebody waits for it. */
    RUNNING,
    /** Runs, and nobody waits for it any more: what it brings is dropped. */
    LEFT,
    /** Settled, and no worker is at it. */
    OVER;

    /** The states that may follow this one. */
    public Set<JobState> next() {
        return switch (this) {
            case WAITING -> EnumSet.of(RUNNING, OVER);
            case RUNNING -> EnumSet.of(LEFT, OVER);
            case LEFT -> EnumSet.of(OVER);
            case OVER -> EnumSet.noneOf(JobState.class);
        };
    }
}
