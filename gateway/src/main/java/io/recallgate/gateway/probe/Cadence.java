package io.recallgate.gateway.probe;

/** The ticks of a cadence, counted from an anchor, so that those that begin nothing can be told. Confined to a gate. */
final class Cadence {

    private long anchorNanos;
    /** Whether the anchor itself is the first tick; after an attempt the first comes one cadence later. */
    private boolean fresh;
    /** Ticks since the anchor that were counted, or became an attempt. */
    private long seen;

    /** The first tick is at this instant. */
    void beginAt(long nanos) {
        anchorNanos = nanos;
        fresh = true;
        seen = 0;
    }

    /** The first tick is one cadence after this instant. */
    void beganAt(long nanos) {
        anchorNanos = nanos;
        fresh = false;
        seen = 0;
    }

    /** The first tick. */
    long dueNanos(long cadenceNanos) {
        return fresh ? anchorNanos : anchorNanos + cadenceNanos;
    }

    /** The first tick after now. */
    long nextNanos(long now, long cadenceNanos) {
        return dueNanos(cadenceNanos) + passed(now, cadenceNanos) * cadenceNanos;
    }

    /** Ticks that have come since this was last asked. */
    long take(long now, long cadenceNanos) {
        long passed = passed(now, cadenceNanos);
        // A cadence that became longer has fewer ticks behind it than were counted.
        long fresh = Math.max(0, passed - seen);
        seen = passed;
        return fresh;
    }

    private long passed(long now, long cadenceNanos) {
        long since = now - dueNanos(cadenceNanos);
        return since < 0 ? 0 : since / cadenceNanos + 1;
    }
}
