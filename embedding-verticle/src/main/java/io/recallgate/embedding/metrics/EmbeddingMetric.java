package io.recallgate.embedding.metrics;

import io.recallgate.failure.FailureCode;
import io.recallgate.metrics.Buckets;
import io.recallgate.metrics.Label;
import io.recallgate.metrics.Metric;
import io.recallgate.metrics.MetricSpec;
import java.util.Arrays;
import java.util.stream.Stream;

/** All metrics of this module. The values of labels are those of the pool's enums: it fails to start if they differ. */
public enum EmbeddingMetric implements Metric {
    /** Both providers. */
    REQUESTS(MetricSpec.counter(
            "recallgate.embedding.requests", "Embeddings asked for, by how they were answered", Labels.outcome())),
    /** Both providers. */
    QUEUE_DEPTH(MetricSpec.gauge("recallgate.embedding.queue.depth", "Requests that wait", Labels.kind())),

    /** Pool. */
    QUEUE_OLDEST_AGE(MetricSpec.gauge(
            "recallgate.embedding.queue.oldest.age.seconds", "How long the oldest request waits", Labels.kind())),
    /** Pool. */
    QUEUE_BYTES(MetricSpec.gauge("recallgate.embedding.queue.bytes", "Texts of all operations that have not ended")),
    /** Pool. */
    QUEUE_DURATION(MetricSpec.histogram(
            "recallgate.embedding.queue.duration", "From admission to the first dispatch", Buckets.STANDARD)),
    /** Pool. */
    TOKENIZE_DURATION(MetricSpec.histogram(
            "recallgate.embedding.tokenize.duration", "In the tokenizer, all rows of a request", Buckets.STANDARD)),
    /** Pool. */
    INFERENCE_DURATION(MetricSpec.histogram(
            "recallgate.embedding.inference.duration", "In native runs, all rows of a request", Buckets.STANDARD)),
    /** Pool. */
    TOKENS(MetricSpec.counter("recallgate.embedding.tokens", "Tokens of answered requests")),
    /** Pool. */
    SLOTS(MetricSpec.gauge(
            "recallgate.embedding.slots", "Places for workers, by the state they are in", Labels.slots("kind"))),
    /** Pool. */
    SLOT_MOVES(MetricSpec.counter("recallgate.embedding.slot.moves", "Changes of a slot's state", Labels.slots("to"))),
    /** Pool. */
    SLOT_STATE_AGE(MetricSpec.gauge(
            "recallgate.embedding.slot.state.age.seconds", "How long a slot has been in its state", Labels.slot())),
    /** Pool. */
    SLOT_GENERATION(MetricSpec.gauge("recallgate.embedding.slot.generation", "Starts of a slot so far", Labels.slot())),
    /** Pool. */
    SLOT_CHARGED_BYTES(MetricSpec.gauge(
            "recallgate.embedding.slot.charged.bytes", "Memory that a slot is charged with", Labels.slot())),
    /** Pool. */
    SLOT_RETRY_DEBT(
            MetricSpec.gauge("recallgate.embedding.slot.retry.debt", "Starts in a row that failed", Labels.slot())),
    /** Pool. */
    OPERATIONS(MetricSpec.gauge("recallgate.embedding.operations", "Operations that have not ended")),
    /** Pool. */
    WAITERS(MetricSpec.gauge("recallgate.embedding.waiters", "Callers that wait for an operation")),
    /** Pool. */
    RETAINED(MetricSpec.gauge("recallgate.embedding.retained", "Results kept for a caller that may come back")),
    /** Pool. */
    QUARANTINED(MetricSpec.gauge(
            "recallgate.embedding.quarantined", "Texts that are not run, since a thread is still out with them")),
    /** Pool. */
    MEMORY_BUDGET_BYTES(MetricSpec.gauge("recallgate.embedding.memory.budget.bytes", "What workers may take together")),
    /** Pool. */
    MEMORY_CHARGED_BYTES(MetricSpec.gauge(
            "recallgate.embedding.memory.charged.bytes", "What live, retiring and stuck workers take")),
    /** Pool. */
    MEMORY_NEXT_BYTES(
            MetricSpec.gauge("recallgate.embedding.memory.next.bytes", "What one worker more would be charged with")),
    /** Pool. */
    MEMORY_READ_FAILURES(MetricSpec.counter(
            "recallgate.embedding.memory.read.failures", "Looks at the memory that is left for workers that failed")),
    /** Pool. */
    ROWS_PER_SECOND(MetricSpec.gauge("recallgate.embedding.rows.per.second", "Texts embedded, as a rate of late")),
    /** Pool. */
    TOKENS_PER_SECOND(MetricSpec.gauge("recallgate.embedding.tokens.per.second", "Tokens embedded, as a rate of late")),
    /** Pool. */
    SUBMITTED(MetricSpec.counter("recallgate.embedding.submitted", "Requests that came to the pool")),
    /** Pool. */
    JOINED(MetricSpec.counter("recallgate.embedding.joined", "Requests that joined an operation for the same work")),
    /** Pool. */
    REFUSED(MetricSpec.counter("recallgate.embedding.refused", "Requests that were not admitted")),
    /** Pool. */
    RETAINED_RESULTS(MetricSpec.counter(
            "recallgate.embedding.retained.results", "Results that were kept since nobody waited any more")),
    /** Pool. */
    RETAINED_RESULTS_USED(MetricSpec.counter(
            "recallgate.embedding.retained.results.used", "Kept results that somebody came back for")),
    /** Pool. */
    SLICES(MetricSpec.counter("recallgate.embedding.slices", "Slices sent to workers")),
    /** Pool. */
    ROWS(MetricSpec.counter("recallgate.embedding.rows", "Rows that came back from workers")),
    /** Pool. */
    ROW_TOKENS(MetricSpec.counter("recallgate.embedding.row.tokens", "Tokens of rows that came back from workers")),
    /** Pool. */
    WORKER_STARTS(MetricSpec.counter("recallgate.embedding.worker.starts", "Workers that were started")),
    /** Pool. */
    WORKER_START_FAILURES(
            MetricSpec.counter("recallgate.embedding.worker.start.failures", "Workers that did not come up")),
    /** Pool. */
    WORKERS_LOST(MetricSpec.counter("recallgate.embedding.workers.lost", "Workers that ended unasked")),
    /** Pool. */
    TERMINATIONS(MetricSpec.counter("recallgate.embedding.terminations", "Native runs that were told to end early")),
    /** Pool. */
    PAUSES(MetricSpec.counter("recallgate.embedding.pauses", "Documents that gave way to queries between rows")),
    /** Pool. */
    OUT_OF_MEMORY(MetricSpec.counter("recallgate.embedding.out.of.memory", "Runs that ended for lack of memory")),
    /** Pool. */
    ILLEGAL_EDGES(
            MetricSpec.counter("recallgate.embedding.illegal.edges", "Moves that no state machine allows: defects")),
    /** Pool. */
    DEFECTS(MetricSpec.counter("recallgate.embedding.defects", "Other defects of the pool")),
    /** Pool. */
    WATCHDOG_EXPIRIES(MetricSpec.counter(
            "recallgate.embedding.watchdog.expiries",
            "Steps of workers that took too long",
            Label.of("kind", "initialisation", "dispatch", "execution", "termination", "exit"))),
    /** Pool. */
    DROPPED_MESSAGES(MetricSpec.counter(
            "recallgate.embedding.dropped.messages",
            "Messages between pool and workers that fitted nothing any more",
            Label.of(
                    "kind",
                    "ready",
                    "start-failed",
                    "grew",
                    "started",
                    "completed",
                    "failed",
                    "cancelled",
                    "terminated",
                    "stopped",
                    "exited",
                    "rows",
                    "worker-misdirected",
                    "worker-repeated",
                    "worker-late",
                    "worker-cancelled",
                    "worker-closed"))),

    /** Remote provider. */
    ATTEMPTS(MetricSpec.histogram(
            "recallgate.embedding.attempts",
            "Requests to the remote provider, by how they ended",
            Buckets.STANDARD,
            Labels.kind(),
            Label.of("outcome", Stream.concat(Stream.of("ok", "late", "expired", "left"), Labels.failures())))),
    /** Remote provider. */
    CONNECTIONS(MetricSpec.gauge(
            "recallgate.embedding.connections", "Requests to the remote provider on their way", Labels.kind())),
    /** Remote provider. */
    CONNECTIONS_ABANDONED(MetricSpec.gauge(
            "recallgate.embedding.connections.abandoned", "Of these, requests that nobody waits for any more")),
    /** Remote provider. */
    BREAKER(MetricSpec.gauge(
            "recallgate.embedding.breaker",
            "1 for the state that the circuit breaker is in, 0 for the others",
            Labels.breaker("state"))),
    /** Remote provider. */
    BREAKER_MOVES(MetricSpec.counter(
            "recallgate.embedding.breaker.moves", "Changes of the circuit breaker's state", Labels.breaker("to")));

    @SuppressWarnings("ImmutableEnumChecker") // A record of words and of lists that cannot be changed.
    private final MetricSpec spec;

    EmbeddingMetric(MetricSpec spec) {
        this.spec = spec;
    }

    @Override
    public MetricSpec spec() {
        return spec;
    }

    private static final class Labels {

        private static Label kind() {
            return Label.of("kind", "query", "document");
        }

        private static Label slot() {
            return Label.described("slot", "the slot's number, from 0 up to the pool's workers");
        }

        private static Label slots(String name) {
            return Label.of(name, "empty", "cooling", "starting", "idle", "dispatched", "running", "retiring", "stuck");
        }

        private static Label breaker(String name) {
            return Label.of(name, "closed", "open", "half-open");
        }

        private static Label outcome() {
            return Label.of("outcome", Stream.concat(Stream.of("ok"), failures()));
        }

        private static Stream<String> failures() {
            return Arrays.stream(FailureCode.values()).map(FailureCode::code);
        }
    }
}
