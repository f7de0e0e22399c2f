package io.recallgate.time;

import io.vertx.core.Vertx;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * {@link Timers} on Vert.x: the only caller of {@code setTimer} in Recallgate. Tasks run on the context that scheduled
 * them.
 */
public final class VertxTimers implements Timers {

    private final Vertx vertx;

    /** @param vertx the instance whose contexts run the tasks */
    public VertxTimers(Vertx vertx) {
        this.vertx = vertx;
    }

    @Override
    public Timer schedule(long delayNanos, Runnable task) {
        // One token decides between the timer and its cancellation, also when the timer is already queued.
        AtomicBoolean taken = new AtomicBoolean();
        // Rounded up: a timer that fires early would find its deadline not yet passed. Vert.x wants 1 ms at least.
        long millis = Math.max(1, TimeUnit.NANOSECONDS.toMillis(Math.max(0, delayNanos) + 999_999));
        long id = vertx.setTimer(millis, ignored -> {
            if (taken.compareAndSet(false, true)) {
                task.run();
            }
        });
        return () -> {
            if (!taken.compareAndSet(false, true)) {
                return false;
            }
            vertx.cancelTimer(id);
            return true;
        };
    }
}
