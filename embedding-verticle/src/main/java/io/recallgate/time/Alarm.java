package io.recallgate.time;

import java.util.OptionalLong;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * One timer that follows the next instant at which a state machine wants to be told that time has passed. Not thread-safe:
 * whoever guards the state machine guards this too.
 */
public final class Alarm {

    private final Clock clock;
    private final Timers timers;
    private OptionalLong at = OptionalLong.empty();
    private Timers.@Nullable Timer timer;
    /** Tells the timer that was armed last from one that was too late to be cancelled. */
    private long armed;

    /** @param timers that belong to the clock */
    public Alarm(Clock clock, Timers timers) {
        this.clock = clock;
        this.timers = timers;
    }

    /**
     * Rings at another instant than before, or not at all. Does nothing when it is the same.
     *
     * @param nextNanos on the clock, empty for never
     * @param ring called when it is time, outside of the guard, with what is to be given to {@link #rang} within it
     */
    public void set(OptionalLong nextNanos, LongConsumer ring) {
        if (nextNanos.equals(at)) {
            return;
        }
        if (timer != null) {
            timer.cancel();
            timer = null;
        }
        at = nextNanos;
        if (nextNanos.isPresent()) {
            long mine = ++armed;
            timer = timers.schedule(nextNanos.getAsLong() - clock.nanoTime(), () -> ring.accept(mine));
        }
    }

    /** It has rung. Whatever is due next is armed anew, be it this very instant for a timer that came early. */
    public void rang(long which) {
        if (which == armed) {
            timer = null;
            at = OptionalLong.empty();
        }
    }
}
