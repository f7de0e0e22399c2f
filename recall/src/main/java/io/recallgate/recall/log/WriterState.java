package io.recallgate.recall.log;

import java.util.EnumSet;
import java.util.Set;

/** What the log's writer is at. */
public enum WriterState {
    /** Nothing waits. */
    RESTING,
    /** Something waits for company. */
    GATHERING,
    /** A batch is on its way. */
    WRITING,
    /** Takes nothing more, and what it took is written or lost. */
    CLOSED;

    /** The states that may follow this one. */
    public Set<WriterState> next() {
        return switch (this) {
            case RESTING -> EnumSet.of(GATHERING, CLOSED);
            case GATHERING -> EnumSet.of(WRITING);
            case WRITING -> EnumSet.of(RESTING, GATHERING, WRITING, CLOSED);
            case CLOSED -> EnumSet.noneOf(WriterState.class);
        };
    }
}
