package io.recallgate.gateway.conversation.turn;

/** What memory may do for a turn, as {@code x-recallgate-memory} says. */
public enum MemoryUse {
    /** Recalls and remembers. */
    FULL,
    /** Recalls, and remembers nothing of this turn. */
    READ,
    /** Neither; the body goes out as it came. */
    OFF;

    /** Whether the turn is given memories. */
    public boolean recalls() {
        return this != OFF;
    }

    /** Whether the turn is remembered. */
    public boolean remembers() {
        return this == FULL;
    }
}
