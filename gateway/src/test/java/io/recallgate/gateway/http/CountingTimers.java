package io.recallgate.gateway.http;

import io.recallgate.time.Timers;
import java.util.concurrent.atomic.AtomicInteger;

/** Real timers that are counted for as long as they may still go off. */
record CountingTimers(Timers real, AtomicInteger count) implements Timers {

    CountingTimers(Timers real) {
        this(real, new AtomicInteger());
    }

    /** How many are armed. */
    int pending() {
        return count.get();
    }

    @Override
    public Timer schedule(long delayNanos, Runnable task) {
        count.incrementAndGet();
        Timer timer = real.schedule(delayNanos, () -> {
            count.decrementAndGet();
            task.run();
        });
        return () -> {
            boolean cancelled = timer.cancel();
            if (cancelled) {
                count.decrementAndGet();
            }
            return cancelled;
        };
    }
}
