package io.recallgate.recall.database;

import io.recallgate.time.Timers;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * Counts connections that were closed here while the server answered nothing on them. It may not have heard of it, and
 * then keeps a process for each until its own time is over; so there is a bound on them. Thread-safe.
 */
final class AbandonedConnections {

    /**
     * By then the server has let go by itself: a statement ends after {@link Database#MAX_STATEMENT_MILLIS}, an open
     * transaction after a minute without a statement, and a session after {@link Database#SERVER_IDLE_MILLIS}.
     */
    static final long HELD_MILLIS = Database.MAX_STATEMENT_MILLIS + Database.SERVER_IDLE_MILLIS;

    private final Timers timers;
    private final int most;
    private final Set<Timers.Timer> running = new HashSet<>();
    private int count;

    /** @param most that may be held at once */
    AbandonedConnections(Timers timers, int most) {
        this.timers = timers;
        this.most = most;
    }

    /**
     * So many more are going to be abandoned.
     *
     * @return false if that would be too many: they are not counted, and must not be abandoned
     */
    synchronized boolean add(int connections) {
        if (count + connections > most) {
            return false;
        }
        if (connections > 0) {
            count += connections;
            Timers.Timer[] mine = new Timers.Timer[1];
            mine[0] = timers.schedule(TimeUnit.MILLISECONDS.toNanos(HELD_MILLIS), () -> over(mine, connections));
            running.add(mine[0]);
        }
        return true;
    }

    /** How many the server may still hold. */
    synchronized int count() {
        return count;
    }

    /** Counts no more. */
    synchronized void close() {
        running.forEach(Timers.Timer::cancel);
        running.clear();
    }

    private synchronized void over(Timers.Timer[] timer, int connections) {
        count -= connections;
        running.remove(timer[0]);
    }
}
