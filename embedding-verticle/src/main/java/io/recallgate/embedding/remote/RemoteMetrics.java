package io.recallgate.embedding.remote;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.recallgate.embedding.api.Priority;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * Meters of a remote provider; labels are of closed sets. Counted on the provider's context; gauges read what was shown
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
            gauge(
                    "recallgate.embedding.breaker",
                    Tags.of("state", state.wireName()),
                    now -> now.breaker() == state ? 1 : 0);
        }
        gauge("recallgate.embedding.connections.abandoned", Tags.empty(), RemoteSnapshot::abandoned);
        lines("query", RemoteSnapshot::queries);
        lines("document", RemoteSnapshot::documents);
    }

    private void lines(String kind, java.util.function.Function<RemoteSnapshot, RemoteSnapshot.Line> line) {
        gauge("recallgate.embedding.connections", Tags.of("kind", kind), now -> line.apply(now)
                .running());
        gauge("recallgate.embedding.queue.depth", Tags.of("kind", kind), now -> line.apply(now)
                .waiting());
    }

    /** A caller was answered; the label is {@code ok} or the failure's code. */
    void settled(String outcome) {
        registry.counter("recallgate.embedding.requests", "outcome", outcome).increment();
    }

    /** A request to the provider is over. */
    void attempted(Priority priority, String outcome, long nanos) {
        counted.merge(outcome, 1L, Long::sum);
        String kind = priority.name().toLowerCase(Locale.ROOT);
        Timer timer = Timer.builder("recallgate.embedding.attempts")
                .description("Requests to the remote provider, by how they ended")
                .tag("kind", kind)
                .tag("outcome", outcome)
                .register(registry);
        timer.record(Duration.ofNanos(nanos));
    }

    /** The breaker changed its state. */
    void moved(BreakerState to) {
        Counter.builder("recallgate.embedding.breaker.moves")
                .description("Changes of the circuit breaker before the remote provider")
                .tag("to", to.wireName())
                .register(registry)
                .increment();
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

    private void gauge(String name, Tags tags, ToDoubleFunction<RemoteSnapshot> read) {
        meters.add(Gauge.builder(name, this, metrics -> {
                    RemoteSnapshot now = metrics.shown;
                    return now == null ? 0 : read.applyAsDouble(now);
                })
                .tags(tags)
                .register(registry));
    }
}
