package io.recallgate.embedding.worker;

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
 */
final class SliceLedger {

    private final Set<Long> cancelled = new HashSet<>();
    private long lastSeen;
    private long running;
    private boolean terminating;
    private boolean closed;

    /**
     * The worker is about to run this slice.
     *
     * @return false if it was cancelled, is stale or the worker is shutting down; it must not run then
     */
    synchronized boolean start(long slice) {
        boolean wasCancelled = cancelled.remove(slice);
        if (closed || wasCancelled || slice <= lastSeen) {
            lastSeen = Math.max(lastSeen, slice);
            return false;
        }
        lastSeen = slice;
        running = slice;
        terminating = false;
        return true;
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
            return false;
        }
        return cancelled.add(slice);
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
            terminating = true;
            endRun.accept(slice);
            return false;
        }
        return cancel(slice);
    }

    /** Whether the running slice was told to end; asked between rows. */
    synchronized boolean isTerminating(long slice) {
        return running == slice && terminating;
    }

    /** Nothing starts from here on. */
    synchronized void close() {
        closed = true;
    }
}
