package io.recallgate.embedding.pool;

import java.util.List;

/**
 * What a shutdown could confirm.
 *
 * @param unconfirmed workers whose thread was not seen to return; empty means a clean end
 */
public record ShutdownReport(List<Unconfirmed> unconfirmed) {
    /** Copies the list. */
    public ShutdownReport {
        unconfirmed = List.copyOf(unconfirmed);
    }

    /** Whether every worker is known to be gone: native code may be torn down only then. */
    public boolean isClean() {
        return unconfirmed.isEmpty();
    }

    /** A worker that may still be inside native code. */
    public record Unconfirmed(int slot, long generation) {}
}
