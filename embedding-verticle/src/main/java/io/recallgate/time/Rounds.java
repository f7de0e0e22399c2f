package io.recallgate.time;

import io.vertx.core.AsyncResult;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Work in the background, a round at a time on one context, with a rest after each that the round itself decides on. Methods
 * may be called on any thread.
 *
 * @param <T> what comes of a round
 */
public final class Rounds<T> {

    private final Context context;
    private final Timers timers;
    private final Supplier<Future<T>> round;
    private final ToLongFunction<AsyncResult<T>> ended;

    private boolean running;
    private volatile boolean stopped;
    private Timers.@Nullable Timer timer;
    private @Nullable Promise<Void> idle;

    /**
     * One that does nothing before {@link #start}.
     *
     * @param context of all rounds
     * @param round begins one
     * @param ended told of its end, on the context; returns the milliseconds until the next
     */
    public Rounds(Context context, Timers timers, Supplier<Future<T>> round, ToLongFunction<AsyncResult<T>> ended) {
        this.context = context;
        this.timers = timers;
        this.round = round;
        this.ended = ended;
    }

    /** Begins, so many milliseconds later. */
    public void start(long millis) {
        onContext(() -> arm(millis));
    }

    /** Begins no further round; completes when the one that runs has ended. Idempotent; never fails. */
    public Future<Void> stop() {
        Promise<Void> done = Promise.promise();
        onContext(() -> {
            stopped = true;
            if (timer != null) {
                timer.cancel();
                timer = null;
            }
            if (idle == null) {
                idle = Promise.promise();
            }
            idle.future().onComplete(done);
            if (!running) {
                idle.tryComplete();
            }
        });
        return done.future();
    }

    /** Whether a round that is long should end early. */
    public boolean isStopped() {
        return stopped;
    }

    private void arm(long millis) {
        if (!stopped && timer == null) {
            timer = timers.schedule(TimeUnit.MILLISECONDS.toNanos(millis), () -> onContext(this::begin));
        }
    }

    private void begin() {
        timer = null;
        if (stopped || running) {
            return;
        }
        running = true;
        round.get()
                .onComplete(outcome -> onContext(() -> {
                    running = false;
                    long rest = ended.applyAsLong(outcome);
                    if (idle != null) {
                        idle.tryComplete();
                    }
                    arm(rest);
                }));
    }

    private void onContext(Runnable action) {
        context.runOnContext(ignored -> action.run());
    }
}
