package io.recallgate.embedding;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.recallgate.embedding.api.EmbedResult;
import io.recallgate.embedding.pool.PoolSnapshot;
import io.recallgate.embedding.pool.SlotState;
import io.recallgate.embedding.pool.WaiterOutcome;
import io.recallgate.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.function.ToDoubleBiFunction;
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

    /** The watchdogs by their names in labels, and what the pool counts them under. */
    private static final Map<String, String> WATCHDOGS = Map.of(
            "initialisation", "expired_initialisations",
            "dispatch", "expired_dispatches",
            "execution", "expired_executions",
            "termination", "unanswered_terminations",
            "exit", "unconfirmed_exits");

    private final MeterRegistry registry;
    private final Clock clock;
    private final List<Meter> meters = new ArrayList<>();
    private final Timer queued;
    private final Timer tokenizing;
    private final Timer inference;
    private final Counter tokens;
    private volatile @Nullable PoolSnapshot snapshot;

    /**
     * Registers the meters.
     *
     * @param slots of the pool
     * @param clock of its snapshots: between two events ages grow and rates fall, which is worked out when they are read
     */
    PoolMetrics(MeterRegistry registry, int slots, Clock clock) {
        this.registry = registry;
        this.clock = clock;
        queued = timer("recallgate.embedding.queue.duration", "from admission to the first dispatch");
        tokenizing = timer("recallgate.embedding.tokenize.duration", "in the tokenizer, all rows of a request");
        inference = timer("recallgate.embedding.inference.duration", "in native runs, all rows of a request");
        tokens = kept(Counter.builder("recallgate.embedding.tokens")
                .description("tokens of answered requests")
                .register(registry));
        for (SlotState state : SlotState.values()) {
            gauge(
                    "recallgate.embedding.slots",
                    Tags.of("kind", state.name().toLowerCase(Locale.ROOT)),
                    view -> view.slots().stream()
                            .filter(slot -> slot.state() == state)
                            .count());
        }
        poolGauges();
        for (int slot = 0; slot < slots; slot++) {
            slotGauges(slot);
        }
        counters();
    }

    private void poolGauges() {
        queueGauges("query", PoolSnapshot::queries);
        queueGauges("document", PoolSnapshot::documents);
        gauge("recallgate.embedding.queue.bytes", Tags.empty(), PoolSnapshot::operationBytes);
        gauge("recallgate.embedding.operations", Tags.empty(), PoolSnapshot::operations);
        gauge("recallgate.embedding.waiters", Tags.empty(), PoolSnapshot::waiters);
        gauge("recallgate.embedding.retained", Tags.empty(), PoolSnapshot::retained);
        gauge("recallgate.embedding.quarantined", Tags.empty(), PoolSnapshot::quarantined);
        gauge("recallgate.embedding.memory.budget.bytes", Tags.empty(), view -> view.gate()
                .budgetBytes());
        gauge("recallgate.embedding.memory.charged.bytes", Tags.empty(), view -> view.gate()
                .chargedBytes());
        gauge("recallgate.embedding.memory.next.bytes", Tags.empty(), view -> view.gate()
                .nextBytes());
        gauge("recallgate.embedding.rows.per.second", Tags.empty(), view -> view.rate()
                .rowsPerSecond(clock.nanoTime()));
        gauge("recallgate.embedding.tokens.per.second", Tags.empty(), view -> view.rate()
                .tokensPerSecond(clock.nanoTime()));
    }

    private void queueGauges(String kind, Function<PoolSnapshot, PoolSnapshot.QueueView> queue) {
        Tags tags = Tags.of("kind", kind);
        gauge("recallgate.embedding.queue.depth", tags, view -> queue.apply(view)
                .depth());
        gauge("recallgate.embedding.queue.oldest.age.seconds", tags, view -> {
            PoolSnapshot.QueueView line = queue.apply(view);
            return line.depth() == 0 ? 0 : secondsNow(view, line.oldestNanos());
        });
    }

    /** The number of a slot is a bounded label; generations and operations would not be. */
    private void slotGauges(int slot) {
        slotGauge("recallgate.embedding.slot.state.age.seconds", slot, (view, it) -> secondsNow(view, it.ageNanos()));
        slotGauge("recallgate.embedding.slot.generation", slot, (view, it) -> it.generation());
        slotGauge("recallgate.embedding.slot.charged.bytes", slot, (view, it) -> it.chargedBytes());
        slotGauge("recallgate.embedding.slot.retry.debt", slot, (view, it) -> it.debt());
    }

    private void slotGauge(String name, int slot, ToDoubleBiFunction<PoolSnapshot, PoolSnapshot.SlotView> read) {
        gauge(
                name,
                Tags.of("slot", Integer.toString(slot)),
                view -> read.applyAsDouble(view, view.slots().get(slot)));
    }

    private double secondsNow(PoolSnapshot view, long nanos) {
        return (nanos + clock.nanoTime() - view.takenNanos())
                / (double) Duration.ofSeconds(1).toNanos();
    }

    private void counters() {
        counter("recallgate.embedding.submitted", Tags.empty(), "submitted");
        counter("recallgate.embedding.joined", Tags.empty(), "joined");
        counter("recallgate.embedding.refused", Tags.empty(), "refused");
        counter("recallgate.embedding.retained.results", Tags.empty(), "retained");
        counter("recallgate.embedding.retained.results.used", Tags.empty(), "retained_used");
        counter("recallgate.embedding.slices", Tags.empty(), "slices");
        counter("recallgate.embedding.rows", Tags.empty(), "rows");
        counter("recallgate.embedding.row.tokens", Tags.empty(), "tokens");
        counter("recallgate.embedding.worker.starts", Tags.empty(), "starts");
        counter("recallgate.embedding.worker.start.failures", Tags.empty(), "start_failures");
        counter("recallgate.embedding.workers.lost", Tags.empty(), "workers_lost");
        counter("recallgate.embedding.terminations", Tags.empty(), "terminations");
        counter("recallgate.embedding.pauses", Tags.empty(), "pauses");
        counter("recallgate.embedding.out.of.memory", Tags.empty(), "out_of_memory");
        counter("recallgate.embedding.illegal.edges", Tags.empty(), "illegal_edges");
        counter("recallgate.embedding.defects", Tags.empty(), "defects");
        WATCHDOGS.forEach(
                (kind, name) -> counter("recallgate.embedding.watchdog.expiries", Tags.of("kind", kind), name));
        for (String kind : PoolSnapshot.DROPPED_KINDS) {
            function("recallgate.embedding.dropped.messages", Tags.of("kind", kind), view -> view.dropped()
                    .getOrDefault(kind, 0L));
        }
    }

    private void counter(String name, Tags tags, String counted) {
        function(name, tags, view -> view.counters().getOrDefault(counted, 0L));
    }

    /** Counters of the pool only grow, as do these while it lives. */
    private void function(String name, Tags tags, ToDoubleFunction<PoolSnapshot> read) {
        kept(FunctionCounter.builder(name, this, metrics -> metrics.read(read))
                .tags(tags)
                .register(registry));
    }

    private double read(ToDoubleFunction<PoolSnapshot> read) {
        PoolSnapshot view = snapshot;
        return view == null ? 0 : read.applyAsDouble(view);
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

    private void gauge(String name, Tags tags, ToDoubleFunction<PoolSnapshot> read) {
        kept(Gauge.builder(name, this, metrics -> metrics.read(read)).tags(tags).register(registry));
    }

    private <M extends Meter> M kept(M meter) {
        meters.add(meter);
        return meter;
    }
}
