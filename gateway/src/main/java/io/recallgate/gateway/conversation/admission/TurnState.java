package io.recallgate.gateway.conversation.admission;

import java.util.EnumSet;
import java.util.Set;

/** Where a turn is that asked for a place. */
public enum TurnState {
    /** In the queue. */
    WAITING,
    /** Has a place. */
    ACTIVE,
    /** Was refused, left, or gave its place back. */
    GONE;

    /** The states that may follow this one. */
    public Set<TurnState> next() {
        return switch (this) {
            case WAITING -> EnumSet.of(ACTIVE, GONE);
            case ACTIVE -> EnumSet.of(GONE);
            case GONE -> EnumSet.noneOf(TurnState.class);
        };
    }
}
