package io.recallgate.embedding.pool;

/**
 * Names one timer. At most one timer of a key is armed at any time.
 *
 * @param kind what it watches
 * @param slot the slot, -1 where none is meant
 * @param subject waiter, generation or slice, by kind; zero where none is meant
 */
public record TimerKey(Kind kind, int slot, long subject) {

    /** What a timer watches. */
    public enum Kind {
        /** A waiter's own deadline; the subject is the waiter. */
        WAITER_DEADLINE,
        /** A worker loading its model; the subject is the generation. */
        INITIALISATION,
        /** A slice sent and not started; the subject is the slice. */
        DISPATCH,
        /** A slice running; the subject is the slice. */
        EXECUTION,
        /** A native termination without acknowledgement; the subject is the slice. */
        TERMINATION_GRACE,
        /** A native termination of unwanted work without acknowledgement; the subject is the slice. */
        ABANDONMENT,
        /** A retiring worker whose exit is not confirmed; the subject is the generation. */
        EXIT_GRACE,
        /** Work that is let finish before its slot is retired; the subject is the generation. */
        DRAIN,
        /** A failed slot that may not start yet. */
        COOL_DOWN,
        /** The oldest retained result or quarantine entry. */
        RETENTION
    }

    static TimerKey waiterDeadline(long waiter) {
        return new TimerKey(Kind.WAITER_DEADLINE, -1, waiter);
    }

    static TimerKey of(Kind kind, int slot, long subject) {
        return new TimerKey(kind, slot, subject);
    }

    static TimerKey coolDown(int slot) {
        return new TimerKey(Kind.COOL_DOWN, slot, 0);
    }

    static TimerKey retention() {
        return new TimerKey(Kind.RETENTION, -1, 0);
    }
}
