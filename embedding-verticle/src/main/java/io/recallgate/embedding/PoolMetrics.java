package io.recallgate.embedding;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.recallgate.embedding.api.EmbedResult;
import io.recallgate.embedding.metrics.EmbeddingMetric;
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
 * Meters of one pool. Gauges read the last snapshot, which any thread may.
 */
final class PoolMetrics {

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
    private final Counter memoryReadFailures;
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
        queued = kept(EmbeddingMetric.QUEUE_DURATION.timer(registry));
        tokenizing = kept(EmbeddingMetric.TOKENIZE_DURATION.timer(registry));
        inference = kept(EmbeddingMetric.INFERENCE_DURATION.timer(registry));
        tokens = kept(EmbeddingMetric.TOKENS.counter(registry));
        memoryReadFailures = kept(EmbeddingMetric.MEMORY_READ_FAILURES.counter(registry));
        EmbeddingMetric.SLOT_MOVES.all(registry);
        for (SlotState state : SlotState.values()) {
            gauge(
                    EmbeddingMetric.SLOTS,
                    view -> view.slots().stream()
                            .filter(slot -> slot.state() == state)
                            .count(),
                    state.name().toLowerCase(Locale.ROOT));
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
        gauge(EmbeddingMetric.QUEUE_BYTES, PoolSnapshot::operationBytes);
        gauge(EmbeddingMetric.OPERATIONS, PoolSnapshot::operations);
        gauge(EmbeddingMetric.WAITERS, PoolSnapshot::waiters);
        gauge(EmbeddingMetric.RETAINED, PoolSnapshot::retained);
        gauge(EmbeddingMetric.QUARANTINED, PoolSnapshot::quarantined);
        gauge(EmbeddingMetric.MEMORY_BUDGET_BYTES, view -> view.gate().budgetBytes());
        gauge(EmbeddingMetric.MEMORY_CHARGED_BYTES, view -> view.gate().chargedBytes());
        gauge(EmbeddingMetric.MEMORY_NEXT_BYTES, view -> view.gate().nextBytes());
        gauge(EmbeddingMetric.ROWS_PER_SECOND, view -> view.rate().rowsPerSecond(clock.nanoTime()));
        gauge(EmbeddingMetric.TOKENS_PER_SECOND, view -> view.rate().tokensPerSecond(clock.nanoTime()));
    }

    private void queueGauges(String kind, Function<PoolSnapshot, PoolSnapshot.QueueView> queue) {
        gauge(EmbeddingMetric.QUEUE_DEPTH, view -> queue.apply(view).depth(), kind);
        gauge(
                EmbeddingMetric.QUEUE_OLDEST_AGE,
                view -> {
                    PoolSnapshot.QueueView line = queue.apply(view);
                    return line.depth() == 0 ? 0 : secondsNow(view, line.oldestNanos());
                },
                kind);
    }

    /** The number of a slot is a bounded label; generations and operations would not be. */
    private void slotGauges(int slot) {
        slotGauge(EmbeddingMetric.SLOT_STATE_AGE, slot, (view, it) -> secondsNow(view, it.ageNanos()));
        slotGauge(EmbeddingMetric.SLOT_GENERATION, slot, (view, it) -> it.generation());
        slotGauge(EmbeddingMetric.SLOT_CHARGED_BYTES, slot, (view, it) -> it.chargedBytes());
        slotGauge(EmbeddingMetric.SLOT_RETRY_DEBT, slot, (view, it) -> it.debt());
    }

    private void slotGauge(
            EmbeddingMetric metric, int slot, ToDoubleBiFunction<PoolSnapshot, PoolSnapshot.SlotView> read) {
        gauge(metric, view -> read.applyAsDouble(view, view.slots().get(slot)), Integer.toString(slot));
    }

    private double secondsNow(PoolSnapshot view, long nanos) {
        return (nanos + clock.nanoTime() - view.takenNanos())
                / (double) Duration.ofSeconds(1).toNanos();
    }

    private void counters() {
        counter(EmbeddingMetric.SUBMITTED, "submitted");
        counter(EmbeddingMetric.JOINED, "joined");
        counter(EmbeddingMetric.REFUSED, "refused");
        counter(EmbeddingMetric.RETAINED_RESULTS, "retained");
        counter(EmbeddingMetric.RETAINED_RESULTS_USED, "retained_used");
        counter(EmbeddingMetric.SLICES, "slices");
        counter(EmbeddingMetric.ROWS, "rows");
        counter(EmbeddingMetric.ROW_TOKENS, "tokens");
        counter(EmbeddingMetric.WORKER_STARTS, "starts");
        counter(EmbeddingMetric.WORKER_START_FAILURES, "start_failures");
        counter(EmbeddingMetric.WORKERS_LOST, "workers_lost");
        counter(EmbeddingMetric.TERMINATIONS, "terminations");
        counter(EmbeddingMetric.PAUSES, "pauses");
        counter(EmbeddingMetric.OUT_OF_MEMORY, "out_of_memory");
        counter(EmbeddingMetric.ILLEGAL_EDGES, "illegal_edges");
        counter(EmbeddingMetric.DEFECTS, "defects");
        WATCHDOGS.forEach((kind, name) -> counter(EmbeddingMetric.WATCHDOG_EXPIRIES, name, kind));
        for (String kind : PoolSnapshot.DROPPED_KINDS) {
            function(EmbeddingMetric.DROPPED_MESSAGES, view -> view.dropped().getOrDefault(kind, 0L), kind);
        }
    }

    private void counter(EmbeddingMetric metric, String counted, String... labels) {
        function(metric, view -> view.counters().getOrDefault(counted, 0L), labels);
    }

    /** Counters of the pool only grow, as do these while it lives. */
    private void function(EmbeddingMetric metric, ToDoubleFunction<PoolSnapshot> read, String... labels) {
        kept(metric.counted(registry, this, metrics -> metrics.read(read), labels));
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
        EmbeddingMetric.REQUESTS.counter(registry, label).increment();
    }

    /** Counts a worker's move to a state. */
    void moved(SlotState to) {
        EmbeddingMetric.SLOT_MOVES
                .counter(registry, to.name().toLowerCase(Locale.ROOT))
                .increment();
    }

    /** Counts a look at the memory that failed. */
    void memoryUnread() {
        memoryReadFailures.increment();
    }

    /** Takes the gauges of a stopped pool away, so that a later one can register its own. */
    void close() {
        meters.forEach(registry::remove);
    }

    private void gauge(EmbeddingMetric metric, ToDoubleFunction<PoolSnapshot> read, String... labels) {
        kept(metric.gauge(registry, this, metrics -> metrics.read(read), labels));
    }

    private <M extends Meter> M kept(M meter) {
        meters.add(meter);
        return meter;
    }
}
