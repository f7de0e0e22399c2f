package io.recallgate.recall.database;

import io.micrometer.core.instrument.MeterRegistry;
import io.recallgate.recall.metrics.RecallMetric;
import java.time.Duration;
import java.util.Optional;

/** How long callers wait for a connection and have it. Thread-safe. */
final class PoolTimes {

    /** Counts nothing. */
    static final PoolTimes NONE = new PoolTimes(Optional.empty());

    private final Optional<MeterRegistry> meters;

    private PoolTimes(Optional<MeterRegistry> meters) {
        this.meters = meters;
    }

    static PoolTimes of(MeterRegistry meters) {
        RecallMetric.DATABASE_WAIT_DURATION.timer(meters);
        RecallMetric.DATABASE_USE_DURATION.timer(meters);
        RecallMetric.DATABASE_REFUSED.counter(meters);
        return new PoolTimes(Optional.of(meters));
    }

    /** Somebody has a connection, who asked for it so long ago. */
    void waited(long nanos) {
        meters.ifPresent(to -> RecallMetric.DATABASE_WAIT_DURATION.timer(to).record(Duration.ofNanos(nanos)));
    }

    /** Somebody had a connection for so long. */
    void used(long nanos) {
        meters.ifPresent(to -> RecallMetric.DATABASE_USE_DURATION.timer(to).record(Duration.ofNanos(nanos)));
    }

    /** Somebody was refused, since too many waited. */
    void refused() {
        meters.ifPresent(to -> RecallMetric.DATABASE_REFUSED.counter(to).increment());
    }
}
