package io.recallgate.recall.search;

import io.recallgate.time.Deadline;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * How much of a request's time is kept for the words: what answering by them has lately taken, so that a recall that
 * waits for its question's vector to the last moment can still be answered without. Thread-safe.
 */
final class AnswerReserve {

    /** Kept when nothing was measured: on an idle machine it takes a tenth of this. */
    static final long LEAST_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    /** Not more, or one slow answer would keep short requests from having vectors. */
    static final long MOST_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    /** A slow answer counts at once, a quick one by a tenth: what matters is the slow ones. */
    private static final int SMOOTHING = 10;

    private final AtomicLong lately = new AtomicLong();

    /** An answer's lexical leg, and fusing and loading its hits, took so long together. */
    void measured(long nanos) {
        lately.updateAndGet(before -> Math.max(nanos, before - (before - nanos) / SMOOTHING));
    }

    /** When the wait for anything but the words ends: before the deadline by the reserve, or half-way if that is less. */
    Deadline before(Deadline deadline) {
        long reserve = Math.min(MOST_NANOS, Math.max(LEAST_NANOS, lately.get()));
        return deadline.minusNanos(Math.max(0, Math.min(reserve, deadline.remainingNanos() / 2)));
    }
}
