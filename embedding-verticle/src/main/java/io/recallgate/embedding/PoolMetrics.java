package io.recallgate.embedding;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.recallgate.embedding.api.EmbedResult;
import io.recallgate.embedding.pool.PoolSnapshot;
import io.recallgate.embedding.pool.SlotState;
import io.recallgate.embedding.pool.WaiterOutcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * Meters of one pool. Gauges read the last snapshot, which any thread may; labels are of closed sets and never ids.
 * Names are written with dots and appear as {@code recallgate_embedding_…} to Prometheus.
 */
final class PoolMetrics {

    private static final Duration[] BUCKETS = {
        Duration.ofMillis(1),
        Duration.ofMillis(2),
        Duration.ofMillis(5),
        Duration.ofMillis(10),
        Duration.ofMillis(25),
        Duration.ofMillis(50),
        Duration.ofMillis(100),
        Duration.ofMillis(250),
        Duration.ofMillis(500),
        Duration.ofSeconds(1),
        Duration.ofMillis(2_500),
        Duration.ofSeconds(10)
    };

    private final MeterRegistry registry;
    private final List<Meter> meters = new ArrayList<>();
    private final Timer queued;
    private final Timer tokenizing;
    private final Timer inference;
    private final Counter tokens;
    private volatile @Nullable PoolSnapshot snapshot;

    PoolMetrics(MeterRegistry registry) {
        this.registry = registry;
        queued = timer("recallgate.embedding.queue.duration", "from admission to the first dispatch");
        tokenizing = timer("recallgate.embedding.tokenize.duration", "in the tokenizer, all rows of a request");
        inference = timer("recallgate.embedding.inference.duration", "in native runs, all rows of a request");
        tokens = kept(Counter.builder("recallgate.embedding.tokens")
                .description("tokens of answered requests")
                .register(registry));
        for (SlotState state : SlotState.values()) {
            gauge("recallgate.embedding.slots", state.name(), view -> view.slots().stream()
                    .filter(slot -> slot.state() == state)
                    .count());
        }
        gauge("recallgate.embedding.queue.depth", "QUERY", view -> view.queries()
                .depth());
        gauge("recallgate.embedding.queue.depth", "DOCUMENT", view -> view.documents()
                .depth());
        gauge("recallgate.embedding.queue.bytes", null, PoolSnapshot::operationBytes);
        gauge("recallgate.embedding.waiters", null, PoolSnapshot::waiters);
        gauge("recallgate.embedding.retained", null, PoolSnapshot::retained);
        gauge("recallgate.embedding.quarantined", null, PoolSnapshot::quarantined);
        gauge("recallgate.embedding.memory.budget.bytes", null, view -> view.gate()
                .budgetBytes());
        gauge("recallgate.embedding.memory.charged.bytes", null, view -> view.gate()
                .chargedBytes());
    }

    /** What gauges show from now on. */
    void show(PoolSnapshot latest) {
        snapshot = latest;
    }

    /** Counts an answer. */
    void settled(WaiterOutcome outcome) {
        String label = "ok";
        if (outcome instanceof WaiterOutcome.Success success) {
            EmbedResult result = success.result();
            queued.record(Duration.ofNanos(result.timing().queueNanos()));
            tokenizing.record(Duration.ofNanos(result.timing().tokenizeNanos()));
            inference.record(Duration.ofNanos(result.timing().inferenceNanos()));
            tokens.increment(result.totalTokens());
        } else if (outcome instanceof WaiterOutcome.Failure failure) {
            label = failure.failure().code().code();
        }
        registry.counter("recallgate.embedding.requests", "outcome", label).increment();
    }

    /** Counts a worker's move to a state. */
    void moved(SlotState to) {
        registry.counter("recallgate.embedding.slot.moves", "to", to.name().toLowerCase(Locale.ROOT))
                .increment();
    }

    /** Takes the gauges of a stopped pool away, so that a later one can register its own. */
    void close() {
        meters.forEach(registry::remove);
    }

    private Timer timer(String name, String description) {
        return kept(Timer.builder(name)
                .description(description)
                .serviceLevelObjectives(BUCKETS)
                .register(registry));
    }

    private void gauge(String name, @Nullable String kind, ToDoubleFunction<PoolSnapshot> read) {
        Gauge.Builder<PoolMetrics> gauge = Gauge.builder(name, this, metrics -> {
            PoolSnapshot view = metrics.snapshot;
            return view == null ? 0 : read.applyAsDouble(view);
        });
        if (kind != null) {
            gauge.tag("kind", kind.toLowerCase(Locale.ROOT));
        }
        kept(gauge.register(registry));
    }

    private <M extends Meter> M kept(M meter) {
        meters.add(meter);
        return meter;
    }
}
