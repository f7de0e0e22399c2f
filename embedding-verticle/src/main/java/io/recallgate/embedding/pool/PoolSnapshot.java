package io.recallgate.embedding.pool;

import io.recallgate.embedding.api.ModelIdentity;
import io.recallgate.embedding.protocol.StartFailure;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * All of the pool as it is now, for {@code GET /v1/workers} and the metrics.
 *
 * @param takenNanos when, on the clock of the pool's events
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
 * @param rate rows and tokens a second
 * @param counters what happened so far, by name
 * @param dropped worker messages that matched nothing, by kind, and under {@code worker-…} what workers dropped
 * @param closed whether shutdown has begun
 * @param replacement the change of model that is not over, null if there is none
 * @param startTrouble why the last start of a worker of that model failed, null if it did not
 */
public record PoolSnapshot(
        long takenNanos,
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
        RateView rate,
        Map<String, Long> counters,
        Map<String, Long> dropped,
        boolean closed,
        @Nullable ReplacementView replacement,
        @Nullable StartTrouble startTrouble) {

    /** The keys of {@link #dropped}, all of which are always there. */
    public static final List<String> DROPPED_KINDS =
            Stream.of(Counters.Dropped.values()).map(Counters.Dropped::wireName).toList();

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
     * @param ending what its worker was asked and has not answered, null if nothing
     * @param identity which model it holds, null if none is loaded
     * @param load what its last load showed, null if no model is loaded
     * @param loads models that were loaded in this slot so far
     * @param chargedBytes what it counts with at the memory gate: expected while it starts, as measured by the load
     *     once that is over, more after a run that needed more, until its thread is gone
     * @param tokenCap padded tokens of one native run at most
     * @param debt failed starts in a row
     * @param retryNanos until it may start again, zero if it may
     * @param retiring why it is to end, null if it is not
     * @param outdated whether its worker was started for a model that is not to serve any more, and may still exist
     */
    public record SlotView(
            int slot,
            SlotState state,
            long generation,
            long ageNanos,
            List<Long> operations,
            @Nullable Ending ending,
            @Nullable ModelIdentity identity,
            @Nullable LoadView load,
            long loads,
            long chargedBytes,
            int tokenCap,
            int debt,
            long retryNanos,
            @Nullable String retiring,
            boolean outdated) {
        /** Copies the list. */
        public SlotView {
            operations = List.copyOf(operations);
        }
    }

    /**
     * A change of model that is not over: it is once every charged slot serves the new one.
     *
     * @param from what was to serve before, as it was configured
     * @param to what is to serve
     * @param fingerprint of that
     * @param ageNanos since it was asked for
     * @param slotsLeft slots whose worker is of another model, or is still loading this one
     */
    public record ReplacementView(String from, String to, String fingerprint, long ageNanos, int slotsLeft) {}

    /**
     * A start that failed, or a worker that ended unasked.
     *
     * @param failure whether trying again may help
     * @param detail one line for the operator
     */
    public record StartTrouble(StartFailure failure, String detail) {}

    /** What a worker was asked to do with the slice in its hands. */
    public enum Ending {
        /** Not to start it. */
        CANCELLING,
        /** To end it natively. */
        TERMINATING
    }

    /**
     * What loading showed.
     *
     * @param batchInvariant whether rows are run together
     * @param batchCosine the lowest cosine between a text alone and among others, which decides that
     * @param loadNanos how long it took
     */
    public record LoadView(boolean batchInvariant, double batchCosine, long loadNanos) {}

    /**
     * Finished rows of the last seconds. Idle seconds are not in the list, so a rate can be asked for any time after
     * the snapshot was taken for as long as nothing happens.
     *
     * @param windowSeconds what it is taken over
     * @param startNanos when second zero began
     * @param seconds in which rows were finished, oldest first
     */
    public record RateView(long windowSeconds, long startNanos, List<Second> seconds) {
        /** Copies the list. */
        public RateView {
            seconds = List.copyOf(seconds);
        }

        /** One second of the pool's life. */
        public record Second(long number, long rows, long tokens) {}

        /** Rows a second in the window that ends at {@code nowNanos}; zero when idle. */
        public double rowsPerSecond(long nowNanos) {
            return sum(nowNanos, Second::rows) / (double) windowSeconds;
        }

        /** Tokens a second in the window that ends at {@code nowNanos}, without padding; zero when idle. */
        public double tokensPerSecond(long nowNanos) {
            return sum(nowNanos, Second::tokens) / (double) windowSeconds;
        }

        private long sum(long nowNanos, ToLongFunction<Second> what) {
            long first = (nowNanos - startNanos) / TimeUnit.SECONDS.toNanos(1) - windowSeconds;
            return seconds.stream()
                    .filter(second -> second.number() > first)
                    .mapToLong(what)
                    .sum();
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
