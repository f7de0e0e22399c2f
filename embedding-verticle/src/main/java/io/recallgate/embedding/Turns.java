package io.recallgate.embedding;

import io.vertx.core.Context;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
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

    private final Context home;
    private final Queue<Runnable> waiting = new ConcurrentLinkedQueue<>();
    /** Waiting and running. */
    private final AtomicInteger pending = new AtomicInteger();

    private volatile @Nullable Thread holder;

    /** @param home runs what is left where a thread has done enough for others */
    Turns(Context home) {
        this.home = home;
    }

    /** Runs {@code task} now, or right after those before it; never inside of another task. */
    @Override
    public void execute(Runnable task) {
        waiting.add(task);
        if (pending.getAndIncrement() == 0) {
            run();
        }
    }

    private void run() {
        int done = 0;
        do {
            if (done++ == MAX_TASKS && isTakenHome()) {
                return;
            }
            runNext();
        } while (pending.decrementAndGet() > 0);
    }

    private boolean isTakenHome() {
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
            task.run();
        } catch (RuntimeException | Error e) {
            log.error("a turn of the embedding pool failed", e);
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
