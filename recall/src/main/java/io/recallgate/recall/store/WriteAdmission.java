package io.recallgate.recall.store;

import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import java.time.Duration;

/** Bounds the writes in flight in number and characters: what waits for a slow database waits in the heap. */
final class WriteAdmission {

    /** Several times the connections of a pool: they keep it busy, and more would only wait. */
    static final int MAX_WRITES = 128;

    /** In UTF-16 units; each is held as content, hash input and analysis for a while. */
    static final long MAX_CHARS = 24L << 20;

    private int writes;
    private long chars;

    /**
     * Takes a place. A single write is admitted whatever its size: its own bounds hold it.
     *
     * @throws FailureException {@code overloaded}
     */
    synchronized void enter(long weight) {
        if (writes >= MAX_WRITES || (writes > 0 && chars + weight > MAX_CHARS)) {
            throw new FailureException(FailureCode.OVERLOADED, "too many memories are being written at once")
                    .retryAfter(Duration.ofSeconds(1));
        }
        writes++;
        chars += weight;
    }

    /** Gives the place back. */
    synchronized void leave(long weight) {
        writes--;
        chars -= weight;
    }

    synchronized boolean isEmpty() {
        return writes == 0 && chars == 0;
    }
}
