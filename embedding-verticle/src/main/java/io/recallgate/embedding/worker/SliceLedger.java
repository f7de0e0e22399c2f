package io.recallgate.embedding.worker;

import io.recallgate.embedding.protocol.WorkerDrops;
import java.util.HashSet;
import java.util.Set;
import java.util.function.LongConsumer;

/**
 * Decides between start and cancel for each slice of one worker: exactly one of the two wins. Shared by the worker's
 * thread and its control's event loop; never blocks for longer than a few instructions.
 *
 * <p>Slice ids rise, so everything up to the last one seen is settled and need not be remembered. What is remembered
 * are slices that were cancelled before the worker saw them: at most the one that is on its way, since a worker is sent
 * one at a time.
 *
 * <p>It also counts what worker and control have read and not acted on.
 */
final class SliceLedger {

    private final Set<Long> cancelled = new HashSet<>();
    private long lastSeen;
    private long running;
    private boolean terminating;
    private boolean pausing;
    private boolean closed;
    private long misdirected;
    private long repeated;
    private long late;
    private long cancelledDispatches;
    private long closedDispatches;

    /**
     * The worker is about to run this slice.
     *
     * @return false if it was cancelled, is stale or the worker is shutting down; it must not run then
     */
    synchronized boolean start(long slice) {
        if (cancelled.remove(slice)) {
            cancelledDispatches++;
        } else if (slice <= lastSeen) {
            repeated++;
        } else if (closed) {
            closedDispatches++;
        } else {
            begin(slice);
            return true;
        }
        lastSeen = Math.max(lastSeen, slice);
        return false;
    }

    private void begin(long slice) {
        lastSeen = slice;
        running = slice;
        terminating = false;
        pausing = false;
    }

    /** The worker has left this slice. */
    synchronized void finish(long slice) {
        if (running == slice) {
            running = 0;
        }
    }

    /**
     * The slice is not wanted.
     *
     * @return true if it had not started, and now never will
     */
    synchronized boolean cancel(long slice) {
        if (slice <= lastSeen) {
            late++;
            return false;
        }
        boolean first = cancelled.add(slice);
        repeated += first ? 0 : 1;
        return first;
    }

    /**
     * The slice is to end.
     *
     * @param endRun ends the native run of the slice on the model; called under the lock, so that a run that ends
     *     meanwhile is not mistaken for the next
     * @return true if it had not started, and now never will
     */
    synchronized boolean terminate(long slice, LongConsumer endRun) {
        if (running == slice) {
            repeated += terminating ? 1 : 0;
            terminating = true;
            endRun.accept(slice);
            return false;
        }
        return cancel(slice);
    }

    /** The slice is to leave off between two rows; means nothing for one that does not run. */
    synchronized void pause(long slice) {
        if (running != slice) {
            late++;
            return;
        }
        repeated += pausing ? 1 : 0;
        pausing = true;
    }

    /** Whether the running slice was told to leave off; asked between rows. */
    synchronized boolean isPausing(long slice) {
        return running == slice && pausing;
    }

    /** Whether the running slice was told to end; asked between rows. */
    synchronized boolean isTerminating(long slice) {
        return running == slice && terminating;
    }

    /** A message came that is meant for another slot or generation. */
    synchronized void misdirected() {
        misdirected++;
    }

    /** What was not acted on so far. */
    synchronized WorkerDrops drops() {
        return new WorkerDrops(misdirected, repeated, late, cancelledDispatches, closedDispatches);
    }

    /** Nothing starts from here on. */
    synchronized void close() {
        closed = true;
    }
}
