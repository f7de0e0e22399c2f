package io.recallgate.embedding;

import io.recallgate.caller.Caller;
import io.recallgate.trace.CallContext;
import io.vertx.core.Context;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs tasks one at a time and in the order they came, each on the thread that brings it; what comes while another thread
 * has the turn is run by that thread, right after. So the pool's state needs neither a lock that somebody could wait for
 * nor a thread of its own, to which every request and every result would have to be handed: waking a thread costs more
 * than all that is done in a turn.
 *
 * <p>Tasks must be short and must not block, as on an event loop, since they run on those of callers. Thread-safe.
 */
final class Turns implements Executor {

    private static final Logger log = LoggerFactory.getLogger(Turns.class);

    /** Tasks of others that a thread runs before it goes on with its own work: some hundred microseconds. */
    static final int MAX_TASKS = 64;

    private static final AtomicIntegerFieldUpdater<Turns> TAKEN =
            AtomicIntegerFieldUpdater.newUpdater(Turns.class, "taken");

    private final Context home;
    private final Queue<Runnable> waiting = new ConcurrentLinkedQueue<>();
    /** Whether somebody has the turn. Given back by a mere write, for which there is always stack left. */
    @SuppressWarnings("UnusedVariable") // read by TAKEN
    private volatile int taken;

    private volatile @Nullable Thread holder;

    /** @param home runs what is left where a thread has done enough for others */
    Turns(Context home) {
        this.home = home;
    }

    /** Runs {@code task} now, or right after those before it; never inside of another task. */
    @Override
    public void execute(Runnable task) {
        waiting.add(task);
        run();
    }

    /**
     * Runs what waits, unless somebody else does. Whatever is thrown, the turn is given back: after the error of a caller
     * whose stack is at its end, tasks wait for the next that comes, and no longer. A thread that has done enough gives
     * it back, too, before it asks home: whoever comes first goes on, also while that event loop is held up.
     */
    private void run() {
        int done = 0;
        while (!waiting.isEmpty() && TAKEN.compareAndSet(this, 0, 1)) {
            try {
                while (done < MAX_TASKS && !waiting.isEmpty()) {
                    done++;
                    runNext();
                }
            } finally {
                taken = 0;
            }
            if (done == MAX_TASKS) {
                if (waiting.isEmpty() || isLeftToHome()) {
                    return;
                }
                done = 0;
            }
        }
    }

    private boolean isLeftToHome() {
        try {
            home.runOnContext(ignored -> run());
            return true;
        } catch (RuntimeException e) {
            log.debug("the pool's event loop is gone", e);
            return false;
        }
    }

    /** Whatever a task throws, the next has its turn: else the pool would stand still for good. */
    private void runNext() {
        Runnable task = waiting.remove();
        holder = Thread.currentThread();
        try {
            // It may be another's, whose request is not the one that this thread is at.
            CallContext.forNobody(task);
        } catch (RuntimeException | Error e) {
            Caller.tell("a turn of the embedding pool failed", e);
        } finally {
            holder = null;
        }
    }

    /**
     * For what touches the state that turns protect.
     *
     * @throws IllegalStateException outside of a turn
     */
    void require() {
        if (holder != Thread.currentThread()) {
            throw new IllegalStateException("only in a turn of the pool");
        }
    }
}
