package io.recallgate.time;

import java.time.Instant;

/**
 * Source of time. {@link #nanoTime()} is monotonic and is what deadlines are made of; {@link #instant()} is the wall
 * clock, for what people and databases see. Implementations are thread-safe.
 */
public interface Clock {

    /** Monotonic nanoseconds from an arbitrary origin; compare by subtraction only, the value may wrap. */
    long nanoTime();

    /** Wall-clock time. May jump; never used to measure a span. */
    Instant instant();
}
