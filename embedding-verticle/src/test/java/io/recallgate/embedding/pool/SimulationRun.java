package io.recallgate.embedding.pool;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/**
 * Runs many schedules, each on one thread, on so many threads as there are processors. Any thread; {@link #begun()} and
 * {@link #settled()} may be read meanwhile.
 */
final class SimulationRun {

    private final long firstSeed;
    private final long schedules;
    private final AtomicLong begun = new AtomicLong();
    private final AtomicLong settled = new AtomicLong();
    private final AtomicReference<@Nullable Failure> failure = new AtomicReference<>();

    /**
     * @param firstSeed of the first schedule; the others follow one by one
     * @param schedules 1 or more
     */
    SimulationRun(long firstSeed, long schedules) {
        this.firstSeed = firstSeed;
        this.schedules = schedules;
    }

    /** What was found: the failed schedule with the lowest seed among those that ran. */
    record Failure(long seed, Throwable cause) {
        /** One text with the command that runs this schedule again. */
        String words() {
            return "seed " + seed + ": " + cause.getMessage() + "\nReplay it: ./recallgate test --simulate 1 --seed "
                    + seed;
        }
    }

    /** Runs all schedules, or those before the first that failed; returns that one, null if all are good. */
    @Nullable
    Failure onAllProcessors() {
        quieten();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < Runtime.getRuntime().availableProcessors(); i++) {
            Thread thread = new Thread(this::work, "simulation-" + i);
            thread.setDaemon(true);
            thread.start();
            threads.add(thread);
        }
        try {
            for (Thread thread : threads) {
                thread.join();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        }
        return failure.get();
    }

    /** What fails first in so many schedules from seed 1 on, on the calling thread; null if nothing does. */
    static @Nullable String firstFailure(long schedules) {
        quieten();
        SimulationRun run = new SimulationRun(1, schedules);
        run.work();
        Failure found = run.failure.get();
        return found == null
                ? null
                : "seed " + found.seed() + ": " + found.cause().getMessage();
    }

    /** Schedules that were begun so far. */
    long begun() {
        return Math.min(schedules, begun.get());
    }

    /** Waiters that settled in schedules that have ended. */
    long settled() {
        return settled.get();
    }

    private void work() {
        while (failure.get() == null) {
            long next = begun.getAndIncrement();
            if (next >= schedules) {
                return;
            }
            long seed = firstSeed + next;
            try {
                settled.addAndGet(new Simulation(seed).run());
            } catch (RuntimeException | AssertionError | StackOverflowError e) {
                Failure found = new Failure(seed, e);
                failure.accumulateAndGet(found, (old, other) -> old == null || other.seed() < old.seed() ? other : old);
            }
        }
    }

    /** Ten thousand schedules of chaos would fill the disk with warnings about it. */
    private static void quieten() {
        ((Logger) LoggerFactory.getLogger("io.recallgate.embedding.pool")).setLevel(Level.OFF);
    }
}
