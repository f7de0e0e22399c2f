package io.recallgate.time;

import io.vertx.core.Context;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.internal.ContextInternal;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * {@link Timers} on Vert.x: the only caller of {@code setTimer} in Recallgate. Tasks run on the context that scheduled
 * them, or on one that is given.
 */
public final class VertxTimers implements Timers {

    private final Vertx vertx;
    private final @Nullable ContextInternal context;

    /** @param vertx the instance whose contexts run the tasks */
    public VertxTimers(Vertx vertx) {
        this.vertx = vertx;
        this.context = null;
    }

    /** @param context runs all tasks, whichever thread schedules them */
    public VertxTimers(Context context) {
        this.vertx = context.owner();
        this.context = (ContextInternal) context;
    }

    @Override
    public Timer schedule(long delayNanos, Runnable task) {
        // One token decides between the timer and its cancellation, also when the timer is already queued.
        AtomicBoolean taken = new AtomicBoolean();
        // Rounded up: a timer that fires early would find its deadline not yet passed. Vert.x wants 1 ms at least.
        long millis = Math.max(1, TimeUnit.NANOSECONDS.toMillis(Math.max(0, delayNanos) + 999_999));
        Handler<Long> fired = ignored -> {
            if (taken.compareAndSet(false, true)) {
                task.run();
            }
        };
        long id = context == null ? vertx.setTimer(millis, fired) : context.setTimer(millis, fired);
        return () -> {
            if (!taken.compareAndSet(false, true)) {
                return false;
            }
            vertx.cancelTimer(id);
            return true;
        };
    }
}
