package io.recallgate.embedding.pool;

import io.recallgate.embedding.api.ModelIdentity;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * All of the pool as it is now, for {@code GET /v1/workers} and the metrics.
 *
 * @param model what is configured
 * @param identity what serves, null until a worker was ready
 * @param slots in the order of their numbers
 * @param queries waiting operations that somebody's turn depends on
 * @param documents waiting operations that nobody's turn depends on
 * @param operations live operations, waiting or in a worker's hands
 * @param operationBytes charged bytes of those
 * @param waiters callers that have not settled
 * @param retained results kept for a retry
 * @param quarantined keys of expired work whose thread has not returned
 * @param gate the memory gate
 * @param counters what happened so far, by name
 * @param dropped worker messages that matched nothing, by kind
 * @param closed whether shutdown has begun
 */
public record PoolSnapshot(
        String model,
        @Nullable ModelIdentity identity,
        List<SlotView> slots,
        QueueView queries,
        QueueView documents,
        int operations,
        long operationBytes,
        int waiters,
        int retained,
        int quarantined,
        GateView gate,
        Map<String, Long> counters,
        Map<String, Long> dropped,
        boolean closed) {

    /** Copies what is given. */
    public PoolSnapshot {
        slots = List.copyOf(slots);
        counters = Map.copyOf(counters);
        dropped = Map.copyOf(dropped);
    }

    /**
     * One slot.
     *
     * @param generation zero before the first start
     * @param ageNanos since the state was entered
     * @param operations numbers of the operations in its hands
     * @param identity which model it holds, null if none is loaded
     * @param batchInvariant whether rows are run together, null if no model is loaded
     * @param residentBytes what it is charged with
     * @param tokenCap padded tokens of one native run at most
     * @param debt failed starts in a row
     * @param retryNanos until it may start again, zero if it may
     * @param retiring why it is to end, null if it is not
     */
    public record SlotView(
            int slot,
            SlotState state,
            long generation,
            long ageNanos,
            List<Long> operations,
            @Nullable ModelIdentity identity,
            @Nullable Boolean batchInvariant,
            long residentBytes,
            int tokenCap,
            int debt,
            long retryNanos,
            @Nullable String retiring) {
        /** Copies the list. */
        public SlotView {
            operations = List.copyOf(operations);
        }
    }

    /**
     * Waiting work of one priority.
     *
     * @param depth operations
     * @param oldestNanos how long the oldest has waited, zero if there is none
     */
    public record QueueView(int depth, long oldestNanos) {}

    /**
     * The memory gate.
     *
     * @param budgetBytes for all workers together
     * @param chargedBytes of live, retiring and stuck workers
     * @param nextBytes what one more would be charged with
     */
    public record GateView(long budgetBytes, long chargedBytes, long nextBytes) {
        /** Whether one more worker fits. */
        public boolean admitsStart() {
            return budgetBytes - chargedBytes >= nextBytes;
        }
    }
}
