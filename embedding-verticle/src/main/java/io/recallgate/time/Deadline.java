package io.recallgate.time;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * An absolute instant on one {@link Clock} by which something must have ended. Immutable and thread-safe.
 *
 * <p>A deadline is made once, where a duration enters the system, and is passed down. What each part may take is then
 * what is left, and parts that share a deadline cannot add up to more than it, as timeouts do. A component may shorten
 * a deadline ({@link #min}, {@link #minusNanos}) but there is no way to lengthen one.
 */
public final class Deadline {

    /** The longest span a deadline may lie ahead: 100 years, so that nanosecond arithmetic cannot overflow. */
    private static final long MAX_SPAN_NANOS = TimeUnit.DAYS.toNanos(36_525);

    private final Clock clock;
    private final long atNanos;

    private Deadline(Clock clock, long atNanos) {
        this.clock = clock;
        this.atNanos = atNanos;
    }

    /**
     * The deadline {@code span} from now.
     *
     * @param span zero or negative gives a deadline that has already passed
     */
    public static Deadline after(Clock clock, Duration span) {
        return afterNanos(clock, span.compareTo(Duration.ofDays(36_525)) >= 0 ? MAX_SPAN_NANOS : span.toNanos());
    }

    /** The deadline {@code spanMillis} milliseconds from now. */
    public static Deadline afterMillis(Clock clock, long spanMillis) {
        return afterNanos(clock, TimeUnit.MILLISECONDS.toNanos(spanMillis));
    }

    /** The deadline {@code spanNanos} nanoseconds from now. */
    public static Deadline afterNanos(Clock clock, long spanNanos) {
        long bounded = Math.max(-MAX_SPAN_NANOS, Math.min(MAX_SPAN_NANOS, spanNanos));
        return new Deadline(clock, clock.nanoTime() + bounded);
    }

    /** The instant in the nanoseconds of the clock it was made on; compare by subtraction. */
    public long atNanos() {
        return atNanos;
    }

    /** Nanoseconds left; negative once passed. */
    public long remainingNanos() {
        return atNanos - clock.nanoTime();
    }

    /** Whole milliseconds left, rounded down; zero once passed. */
    public long remainingMillis() {
        return Math.max(0, TimeUnit.NANOSECONDS.toMillis(remainingNanos()));
    }

    /** Whether the instant has come. */
    public boolean isPassed() {
        return remainingNanos() <= 0;
    }

    /**
     * The earlier of the two.
     *
     * @throws IllegalArgumentException if they were made on different clocks
     */
    public Deadline min(Deadline other) {
        requireSameClock(other);
        return other.atNanos - atNanos < 0 ? other : this;
    }

    /** This deadline or {@code spanMillis} from now, whichever is earlier. */
    public Deadline minAfterMillis(long spanMillis) {
        return min(afterMillis(clock, spanMillis));
    }

    /**
     * A deadline earlier by {@code reserveNanos}: what is left for a part when later parts need a reserve.
     *
     * @param reserveNanos zero or more
     */
    public Deadline minusNanos(long reserveNanos) {
        if (reserveNanos < 0) {
            throw new IllegalArgumentException("a deadline cannot be made longer: reserveNanos=" + reserveNanos);
        }
        return new Deadline(clock, atNanos - Math.min(reserveNanos, MAX_SPAN_NANOS));
    }

    /**
     * Whether this one comes before {@code other}.
     *
     * @throws IllegalArgumentException if they were made on different clocks
     */
    public boolean isBefore(Deadline other) {
        requireSameClock(other);
        return atNanos - other.atNanos < 0;
    }

    private void requireSameClock(Deadline other) {
        if (other.clock != clock) {
            throw new IllegalArgumentException("deadlines of different clocks cannot be compared");
        }
    }

    @Override
    public String toString() {
        return "Deadline[in " + TimeUnit.NANOSECONDS.toMillis(remainingNanos()) + " ms]";
    }
}
