package io.recallgate.embedding.remote;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.recallgate.embedding.api.Priority;
import io.recallgate.embedding.metrics.EmbeddingMetric;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * Meters of a remote provider. Counted on the provider's context; gauges read what was shown
 * last, on any thread.
 */
final class RemoteMetrics {

    private final MeterRegistry registry;
    private final List<Meter> meters = new ArrayList<>();
    private final Map<String, Long> counted = new HashMap<>();
    private volatile @Nullable RemoteSnapshot shown;

    RemoteMetrics(MeterRegistry registry) {
        this.registry = registry;
        for (BreakerState state : BreakerState.values()) {
            gauge(EmbeddingMetric.BREAKER, now -> now.breaker() == state ? 1 : 0, state.wireName());
        }
        EmbeddingMetric.BREAKER_MOVES.all(registry);
        gauge(EmbeddingMetric.CONNECTIONS_ABANDONED, RemoteSnapshot::abandoned);
        lines("query", RemoteSnapshot::queries);
        lines("document", RemoteSnapshot::documents);
    }

    private void lines(String kind, Function<RemoteSnapshot, RemoteSnapshot.Line> line) {
        gauge(EmbeddingMetric.CONNECTIONS, now -> line.apply(now).running(), kind);
        gauge(EmbeddingMetric.QUEUE_DEPTH, now -> line.apply(now).waiting(), kind);
    }

    /** A caller was answered; the label is {@code ok} or the failure's code. */
    void settled(String outcome) {
        EmbeddingMetric.REQUESTS.counter(registry, outcome).increment();
    }

    /** A request to the provider is over. */
    void attempted(Priority priority, String outcome, long nanos) {
        counted.merge(outcome, 1L, Long::sum);
        String kind = priority.name().toLowerCase(Locale.ROOT);
        EmbeddingMetric.ATTEMPTS.timer(registry, kind, outcome).record(Duration.ofNanos(nanos));
    }

    /** The breaker changed its state. */
    void moved(BreakerState to) {
        EmbeddingMetric.BREAKER_MOVES.counter(registry, to.wireName()).increment();
    }

    /** Requests to the provider so far, by how they ended. */
    Map<String, Long> attempts() {
        return new TreeMap<>(counted);
    }

    /** What gauges show from now on. */
    void show(RemoteSnapshot latest) {
        shown = latest;
    }

    /** Takes the gauges away, so that a later provider can register its own. */
    void close() {
        meters.forEach(registry::remove);
    }

    private void gauge(EmbeddingMetric metric, ToDoubleFunction<RemoteSnapshot> read, String... labels) {
        meters.add(metric.gauge(
                registry,
                this,
                metrics -> {
                    RemoteSnapshot now = metrics.shown;
                    return now == null ? 0 : read.applyAsDouble(now);
                },
                labels));
    }
}
