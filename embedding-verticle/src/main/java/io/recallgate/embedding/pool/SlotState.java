package io.recallgate.embedding.pool;

import java.util.Collections;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;

/** Where a slot is. The legal edges are those of the architecture's table; no other move is made. */
public enum SlotState {
    /** Holds nothing and is charged nothing. */
    EMPTY,
    /** Holds nothing, and retry debt forbids a start for now. */
    COOLING,
    /** A worker is loading its model. */
    STARTING,
    /** A worker waits for work. */
    IDLE,
    /** A slice was sent and has not started. */
    DISPATCHED,
    /** A slice runs. */
    RUNNING,
    /** Its worker is to end; its exit is not confirmed. Charged. */
    RETIRING,
    /** Its worker's thread did not return in time. Charged until it does. */
    STUCK;

    private static final Map<SlotState, Set<SlotState>> EDGES = new EnumMap<>(SlotState.class);

    static {
        for (SlotState from : values()) {
            EDGES.put(from, Collections.unmodifiableSet(from.edges()));
        }
    }

    /** The states that may follow this one. */
    public Set<SlotState> next() {
        return EDGES.getOrDefault(this, Set.of());
    }

    private Set<SlotState> edges() {
        return switch (this) {
            case EMPTY -> EnumSet.of(STARTING, COOLING);
            case COOLING -> EnumSet.of(STARTING);
            case STARTING -> EnumSet.of(IDLE, EMPTY, STUCK);
            case IDLE -> EnumSet.of(DISPATCHED, RETIRING);
            case DISPATCHED -> EnumSet.of(RUNNING, IDLE, RETIRING);
            case RUNNING -> EnumSet.of(IDLE, RETIRING);
            case RETIRING -> EnumSet.of(EMPTY, STUCK);
            case STUCK -> EnumSet.of(EMPTY);
        };
    }

    /** Whether a worker may exist, so that the slot counts against memory and number. */
    public boolean isCharged() {
        return this != EMPTY && this != COOLING;
    }

    /** Whether a worker with a loaded model is in service. */
    public boolean isServing() {
        return this == IDLE || this == DISPATCHED || this == RUNNING;
    }
}
