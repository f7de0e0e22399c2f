package io.recallgate.embedding;

import io.recallgate.embedding.api.ModelIdentity;
import io.recallgate.embedding.pool.PoolNotice;
import io.recallgate.embedding.pool.PoolSnapshot;
import io.recallgate.embedding.pool.PoolSnapshot.QueueView;
import io.recallgate.embedding.pool.PoolSnapshot.SlotView;
import io.recallgate.embedding.pool.SlotState;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The pool's state and its news as JSON: {@code GET /v1/workers}, {@code recallgate.status}, {@code recallgate.events}. */
final class StatusJson {

    private StatusJson() {}

    static JsonObject of(PoolSnapshot pool, Instant now) {
        JsonArray slots = new JsonArray();
        pool.slots().forEach(slot -> slots.add(slot(slot, now)));
        return new JsonObject()
                .put("slots", slots)
                .put("model", model(pool.identity()))
                .put("configured_model", pool.model())
                .put("replacement", replacement(pool))
                .put("start_trouble", trouble(pool.startTrouble()))
                .put(
                        "queue",
                        new JsonObject()
                                .put("queries", queue(pool.queries()))
                                .put("documents", queue(pool.documents()))
                                .put("operations", pool.operations())
                                .put("bytes", pool.operationBytes())
                                .put("waiters", pool.waiters()))
                .put("retained", pool.retained())
                .put("quarantined", pool.quarantined())
                .put(
                        "memory_gate",
                        new JsonObject()
                                .put("budget_bytes", pool.gate().budgetBytes())
                                .put("charged_bytes", pool.gate().chargedBytes())
                                .put("next_bytes", pool.gate().nextBytes())
                                .put("admits_start", pool.gate().admitsStart()))
                .put(
                        "throughput",
                        new JsonObject()
                                .put(
                                        "window_ms",
                                        TimeUnit.SECONDS.toMillis(pool.rate().windowSeconds()))
                                .put("rows_per_second", pool.rate().rowsPerSecond(pool.takenNanos()))
                                .put("tokens_per_second", pool.rate().tokensPerSecond(pool.takenNanos())))
                .put("counters", new JsonObject(new TreeMap<>(pool.counters())))
                .put("dropped", new JsonObject(new TreeMap<>(pool.dropped())))
                .put("closed", pool.closed());
    }

    static JsonObject slot(SlotView slot, Instant now) {
        List<Long> operations = slot.operations();
        ModelIdentity identity = slot.identity();
        PoolSnapshot.LoadView load = slot.load();
        return new JsonObject()
                .put("slot", slot.slot())
                .put("state", slot.state().name().toLowerCase(Locale.ROOT))
                .put("generation", slot.generation())
                .put("since", now.minusNanos(slot.ageNanos()).toString())
                .put("state_age_ms", TimeUnit.NANOSECONDS.toMillis(slot.ageNanos()))
                .put("operation", operations.isEmpty() ? null : operations.get(0))
                .put("operations", new JsonArray(operations))
                .put(
                        "ending",
                        slot.ending() == null ? null : slot.ending().name().toLowerCase(Locale.ROOT))
                .put("model", identity == null ? null : identity.name())
                .put("loads", slot.loads())
                .put("load_ms", load == null ? null : TimeUnit.NANOSECONDS.toMillis(load.loadNanos()))
                .put("batch_invariant", load == null ? null : load.batchInvariant())
                .put("batch_cosine", load == null ? null : load.batchCosine())
                .put("charged_bytes", slot.chargedBytes())
                .put("token_cap", slot.tokenCap())
                .put("retry_debt", slot.debt())
                .put("retry_in_ms", TimeUnit.NANOSECONDS.toMillis(slot.retryNanos()))
                .put("retiring", slot.retiring())
                .put("outdated", slot.outdated());
    }

    /** The answer to a replacement. */
    static JsonObject replaced(String from, PoolSnapshot pool, boolean unchanged, Instant now) {
        JsonArray slots = new JsonArray();
        pool.slots().stream().filter(SlotView::outdated).forEach(slot -> slots.add(slot(slot, now)));
        String state = !slots.isEmpty() ? "draining" : pool.identity() == null ? "starting" : "serving";
        return new JsonObject()
                .put("model", new JsonObject().put("from", from).put("to", pool.model()))
                .put("state", unchanged ? "unchanged" : state)
                .put("slots", slots);
    }

    private static @Nullable JsonObject replacement(PoolSnapshot pool) {
        PoolSnapshot.ReplacementView replacement = pool.replacement();
        if (replacement == null) {
            return null;
        }
        JsonArray unconfirmed = new JsonArray();
        pool.slots().stream()
                .filter(slot -> slot.outdated() && slot.state() == SlotState.STUCK)
                .forEach(slot -> unconfirmed.add(slot.slot()));
        return new JsonObject()
                .put("from", replacement.from())
                .put("to", replacement.to())
                .put("age_ms", TimeUnit.NANOSECONDS.toMillis(replacement.ageNanos()))
                .put("slots_left", replacement.slotsLeft())
                .put("unconfirmed", unconfirmed);
    }

    private static @Nullable JsonObject trouble(PoolSnapshot.@Nullable StartTrouble trouble) {
        return trouble == null
                ? null
                : new JsonObject()
                        .put("kind", trouble.failure().name().toLowerCase(Locale.ROOT))
                        .put("detail", trouble.detail());
    }

    /** What is published on {@code recallgate.events}. */
    static JsonObject notice(PoolNotice notice) {
        if (notice instanceof PoolNotice.SlotMoved moved) {
            return new JsonObject()
                    .put("type", "worker-state")
                    .put("slot", moved.slot())
                    .put("generation", moved.generation())
                    .put("from", moved.from().name().toLowerCase(Locale.ROOT))
                    .put("to", moved.to().name().toLowerCase(Locale.ROOT))
                    .put("reason", moved.reason());
        }
        if (notice instanceof PoolNotice.WorkQuarantined work) {
            return new JsonObject()
                    .put("type", "work-quarantined")
                    .put("slot", work.slot())
                    .put("generation", work.generation())
                    .put("operation", work.operation())
                    .put("final", work.ended());
        }
        if (notice instanceof PoolNotice.RunTerminated run) {
            return new JsonObject()
                    .put("type", "run-terminated")
                    .put("slot", run.slot())
                    .put("generation", run.generation())
                    .put("reason", run.why().name().toLowerCase(Locale.ROOT));
        }
        if (notice instanceof PoolNotice.OutOfMemory memory) {
            return new JsonObject()
                    .put("type", "out-of-memory")
                    .put("slot", memory.slot())
                    .put("generation", memory.generation())
                    .put("token_cap", memory.tokenCap());
        }
        if (notice instanceof PoolNotice.DebtGrew debt) {
            return new JsonObject()
                    .put("type", "retry-debt")
                    .put("slot", debt.slot())
                    .put("generation", debt.generation())
                    .put("failures", debt.failures())
                    .put("retry_in_ms", TimeUnit.NANOSECONDS.toMillis(debt.retryNanos()))
                    .put("exhausted", debt.exhausted());
        }
        if (notice instanceof PoolNotice.ModelReplaced replaced) {
            return new JsonObject()
                    .put("type", "model-replaced")
                    .put("from", replaced.from())
                    .put("to", replaced.to());
        }
        throw new IllegalArgumentException("a notice without words: " + notice);
    }

    private static JsonObject queue(QueueView queue) {
        return new JsonObject()
                .put("depth", queue.depth())
                .put("oldest_age_ms", TimeUnit.NANOSECONDS.toMillis(queue.oldestNanos()));
    }

    private static @Nullable JsonObject model(@Nullable ModelIdentity identity) {
        return identity == null
                ? null
                : new JsonObject()
                        .put("name", identity.name())
                        .put("fingerprint", identity.fingerprint())
                        .put("dimensions", identity.dimensions())
                        .put("max_tokens", identity.maxTokens());
    }
}
