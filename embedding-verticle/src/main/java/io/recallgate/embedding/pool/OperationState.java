package io.recallgate.embedding.pool;

import java.util.Collections;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;

/** Where an operation is. The legal edges are those of the architecture's table; no other move is made. */
public enum OperationState {
    /** Waits on the host. */
    QUEUED,
    /** Sent to a worker that has not started it. */
    DISPATCHED,
    /** In a worker's hands. */
    RUNNING,
    /** All rows done. Final. */
    COMPLETED,
    /** Ended with an error. Final. */
    FAILED,
    /** Nobody wanted it any more. Final. */
    CANCELLED,
    /** Nobody wanted it while it ran, and the worker acknowledged the native termination. Final. */
    TERMINATED,
    /** Outlived the execution watchdog. Its key is quarantined until the thread is seen to return. */
    EXPIRED;

    private static final Map<OperationState, Set<OperationState>> EDGES = new EnumMap<>(OperationState.class);

    static {
        for (OperationState from : values()) {
            EDGES.put(from, Collections.unmodifiableSet(from.edges()));
        }
    }

    /** The states that may follow this one. */
    public Set<OperationState> next() {
        return EDGES.getOrDefault(this, Set.of());
    }

    private Set<OperationState> edges() {
        return switch (this) {
            case QUEUED -> EnumSet.of(DISPATCHED, CANCELLED, FAILED);
            case DISPATCHED -> EnumSet.of(RUNNING, CANCELLED, QUEUED, FAILED);
            case RUNNING -> EnumSet.of(COMPLETED, FAILED, TERMINATED, EXPIRED, QUEUED, CANCELLED);
            case EXPIRED -> EnumSet.of(FAILED);
            case COMPLETED, FAILED, CANCELLED, TERMINATED -> EnumSet.noneOf(OperationState.class);
        };
    }

    /** Whether nothing follows. */
    public boolean isFinal() {
        return next().isEmpty();
    }
}
