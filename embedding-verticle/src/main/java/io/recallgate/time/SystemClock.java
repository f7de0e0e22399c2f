package io.recallgate.time;

import java.time.Instant;

/** The machine's clock. Together with {@link VertxTimers} the only reader of system time in Recallgate. */
public enum SystemClock implements Clock {
    /** The one instance; it has no state. */
    INSTANCE;

    @Override
    public long nanoTime() {
        return System.nanoTime();
    }

    @Override
    public Instant instant() {
        return Instant.now();
    }
}
