package io.recallgate.gateway.http.pipeline;

import io.micrometer.core.instrument.Timer;
import io.recallgate.gateway.metrics.GatewayMetric;
import io.recallgate.time.Clock;
import io.recallgate.time.Timers;
import io.vertx.core.AbstractVerticle;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Measures how late the event loop it is deployed on runs its timers. One instance for each loop; all record into one
 * histogram.
 */
public final class LagSampler extends AbstractVerticle {

    private static final long PERIOD_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    /** Vert.x rounds timers up to whole milliseconds: what is below that is no lag. */
    private static final long RESOLUTION_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private final Clock clock;
    private final Timers timers;
    private final Timer lag;
    private Timers.@Nullable Timer pending;
    private boolean stopped;

    /** @param environment clock, timers and the registry of {@code recallgate_event_loop_lag_seconds} */
    public LagSampler(HttpEnvironment environment) {
        clock = environment.clock();
        timers = environment.timers();
        lag = GatewayMetric.EVENT_LOOP_LAG.timer(environment.registry());
    }

    @Override
    public void start() {
        sample();
    }

    @Override
    public void stop() {
        stopped = true;
        if (pending != null) {
            pending.cancel();
        }
    }

    private void sample() {
        long due = clock.nanoTime() + PERIOD_NANOS;
        pending = timers.schedule(PERIOD_NANOS, () -> {
            lag.record(Duration.ofNanos(Math.max(0, clock.nanoTime() - due - RESOLUTION_NANOS)));
            if (!stopped) {
                sample();
            }
        });
    }
}
