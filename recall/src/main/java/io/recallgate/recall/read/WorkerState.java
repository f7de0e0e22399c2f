package io.recallgate.recall.read;

import java.util.EnumSet;
import java.util.Set;

/** Where a read worker is. */
public enum WorkerState {
    /** Waits for a job. */
    IDLE,
    /** Runs one. */
    RUNNING,
    /** Its job did not return in time. Gets no other; its thread counts until it is seen to return. */
    RETIRED,
    /** Its thread has nothing left to do. */
    ENDED;

    /** The states that may follow this one. */
    public Set<WorkerState> next() {
        return switch (this) {
            case IDLE -> EnumSet.of(RUNNING, ENDED);
            case RUNNING -> EnumSet.of(IDLE, RETIRED, ENDED);
            case RETIRED -> EnumSet.of(ENDED);
            case ENDED -> EnumSet.noneOf(WorkerState.class);
        };
    }
}
