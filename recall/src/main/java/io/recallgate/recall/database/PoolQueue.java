package io.recallgate.recall.database;

import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * Who may use the pool now, and who waits, first come first served. The pool has a queue too, but one that gives up on a
 * caller after a fixed time, whatever its deadline, and keeps the places of callers who have long left. Thread-safe.
 */
final class PoolQueue {

    private final int mostAtOnce;
    private final int mostWaiting;
    private final Set<Runnable> waiting = new LinkedHashSet<>();
    private int atOnce;

    /**
     * @param mostAtOnce as many as the pool has connections
     * @param mostWaiting the next is refused
     */
    PoolQueue(int mostAtOnce, int mostWaiting) {
        this.mostAtOnce = mostAtOnce;
        this.mostWaiting = mostWaiting;
    }

    /**
     * Runs {@code turn} at once or when it is its turn, on the thread of whoever ends the turn before; {@link #over()}
     * must follow. PoolQueue are told apart by identity.
     *
     * @return false if too many wait: it will not run
     */
    boolean take(Runnable turn) {
        synchronized (this) {
            if (atOnce == mostAtOnce) {
                return waiting.size() < mostWaiting && waiting.add(turn);
            }
            atOnce++;
        }
        turn.run();
        return true;
    }

    /** Gives up waiting; false if it does not wait, because its turn has come. */
    synchronized boolean withdraw(Runnable turn) {
        return waiting.remove(turn);
    }

    /** Whose turn it is now. */
    synchronized int atOnce() {
        return atOnce;
    }

    /** Who waits. */
    synchronized int waiting() {
        return waiting.size();
    }

    /** A turn is over, and the next one begins. */
    void over() {
        Runnable next = null;
        synchronized (this) {
            Iterator<Runnable> first = waiting.iterator();
            if (first.hasNext()) {
                next = first.next();
                first.remove();
            } else {
                atOnce--;
            }
        }
        if (next != null) {
            next.run();
        }
    }
}
