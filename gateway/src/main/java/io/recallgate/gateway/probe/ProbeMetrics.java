package io.recallgate.gateway.probe;

import io.micrometer.core.instrument.MeterRegistry;
import io.recallgate.gateway.metrics.GatewayMetric;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;

/** What probes show in {@code GET /metrics}. Any thread. */
final class ProbeMetrics {

    private final MeterRegistry registry;

    ProbeMetrics(MeterRegistry registry) {
        this.registry = registry;
        GatewayMetric.PROBE_ATTEMPTS.all(registry);
        GatewayMetric.PROBE_ATTEMPT_DURATION.all(registry);
    }

    void attempted(ProbeName name, ProbeOutcome outcome, long nanos) {
        GatewayMetric.PROBE_ATTEMPTS
                .counter(registry, name.wireName(), outcome.verdict().name().toLowerCase(Locale.ROOT))
                .increment();
        GatewayMetric.PROBE_ATTEMPT_DURATION.timer(registry, name.wireName()).record(Duration.ofNanos(nanos));
    }

    /** Shows what a driver, which is kept alive by others, says of itself. */
    void show(ProbeName name, ProbeDriver driver) {
        String producer = name.wireName();
        for (SkipCause cause : SkipCause.values()) {
            GatewayMetric.PROBE_SKIPPED_TICKS.counted(
                    registry,
                    driver,
                    counts(counts -> counts.skipped().getOrDefault(cause, 0L).doubleValue()),
                    producer,
                    cause.wireName());
        }
        GatewayMetric.PROBE_CHARGED_SECONDS.counted(
                registry, driver, counts(counts -> seconds(counts.chargedNanos())), producer);
        GatewayMetric.PROBE_ABANDONED.counted(
                registry, driver, counts(counts -> (double) counts.abandoned()), producer);
        GatewayMetric.PROBE_FAILURES_IN_A_ROW.gauge(
                registry, driver, shown -> shown.report().view().failures(), producer);
        for (HealthState state : HealthState.values()) {
            GatewayMetric.PROBE_STATE.gauge(
                    registry,
                    driver,
                    shown -> shown.report().health().state() == state ? 1 : 0,
                    producer,
                    state.wireName());
        }
    }

    private static ToDoubleFunction<ProbeDriver> counts(Function<ProbeView.Counts, Double> of) {
        return driver -> of.apply(driver.report().view().counts());
    }

    private static double seconds(long nanos) {
        return nanos / (double) TimeUnit.SECONDS.toNanos(1);
    }
}
