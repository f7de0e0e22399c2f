package io.recallgate.embedding;

import io.recallgate.time.Clock;
import io.recallgate.time.Deadline;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Tells a person who loses patience from a wrapper that says one thing twice. Thread-safe. */
final class StopWish {

    /** Signals of one wish arrive within a millisecond; nobody presses Ctrl-C again on purpose in less than this. */
    static final Duration SAME_WISH = Duration.ofSeconds(1);

    private final Clock clock;
    private @Nullable Deadline sameUntil;

    StopWish(Clock clock) {
        this.clock = clock;
    }

    /** What a signal asks for. */
    enum Meaning {
        /** The first: stop in order. */
        BEGIN,
        /** The first once more. */
        SAME,
        /** An orderly stop takes too long for somebody. */
        HALT
    }

    /** A signal has come, of whatever kind. */
    synchronized Meaning signalled() {
        if (sameUntil == null) {
            sameUntil = Deadline.after(clock, SAME_WISH);
            return Meaning.BEGIN;
        }
        return sameUntil.isPassed() ? Meaning.HALT : Meaning.SAME;
    }
}
