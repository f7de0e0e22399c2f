package io.recallgate.gateway.http;

import io.recallgate.time.Timers;
import java.util.concurrent.atomic.AtomicInteger;

/** Real timers that are counted for as long as they may still go off, and that can be slow. Thread-safe. */
final class CountingTimers implements Timers {

    private final Timers real;
    private final AtomicInteger count = new AtomicInteger();
    private volatile int times = 1;

    CountingTimers(Timers real) {
        this.real = real;
    }

    /** How many are armed. */
    int pending() {
        return count.get();
    }

    /** Those that are armed from now on take so many times as long: no test has to be faster than them. */
    void slower(int times) {
        this.times = times;
    }

    @Override
    public Timer schedule(long delayNanos, Runnable task) {
        count.incrementAndGet();
        Timer timer = real.schedule(times * delayNanos, () -> {
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
