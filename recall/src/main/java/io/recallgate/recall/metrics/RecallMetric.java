package io.recallgate.recall.metrics;

import io.recallgate.failure.FailureCode;
import io.recallgate.metrics.Buckets;
import io.recallgate.metrics.Label;
import io.recallgate.metrics.Metric;
import io.recallgate.metrics.MetricSpec;
import java.util.Arrays;

/** All metrics of this module. */
public enum RecallMetric implements Metric {
    /** Recall. */
    RECALL(MetricSpec.histogram(
            "recallgate.recall",
            "Recalls, by the mode asked for and the mode that answered",
            Buckets.CALLER,
            Labels.mode("requested"),
            Labels.mode("served"))),
    /** Recall. */
    DEGRADED(MetricSpec.counter(
            "recallgate.recall.degraded",
            "Hybrid recalls that were answered without their vector leg",
            Label.of(
                    "reason",
                    "embedding-timeout",
                    "embedding-unavailable",
                    "embedding-overloaded",
                    "embedding-circuit-open",
                    "embedding-error",
                    "deadline-exhausted",
                    "vector-index-unavailable",
                    "model-mismatch",
                    "dimension-mismatch",
                    "no-embedding-provider"))),
    /** Recall. */
    LEG_DURATION(MetricSpec.histogram(
            "recallgate.recall.leg.duration",
            "What the parts of answered recalls took: waiting for the question's vector, searching by words and by"
                    + " vectors, fusing and loading",
            Buckets.STANDARD,
            Label.of("leg", "embedding", "lexical", "vector", "fusion"))),
    /** Recall. */
    FAILURES(MetricSpec.counter(
            "recallgate.recall.failures",
            "Recalls without an answer, by why",
            Label.of("code", Arrays.stream(FailureCode.values()).map(FailureCode::code)))),
    /** Recall. */
    LOG_WRITTEN(MetricSpec.counter("recallgate.recall.log.written", "Recalls in the log")),
    /** Recall. */
    LOG_DROPPED(MetricSpec.counter(
            "recallgate.recall.log.dropped",
            "Recalls that are missing in the log: too many waited, or the database took them not",
            Labels.dropped())),
    /** Recall. */
    ACCESSES_DROPPED(MetricSpec.counter(
            "recallgate.memory.accesses.dropped",
            "Recalls that memories were not counted for: too many waited, or the database took them not",
            Labels.dropped())),

    /** Vectors. */
    VECTOR_CACHE_BYTES(MetricSpec.gauge("recallgate.vector.cache.bytes", "Vectors held in process")),
    /** Vectors. */
    VECTOR_CACHE_EVICTIONS(MetricSpec.counter(
            "recallgate.vector.cache.evictions",
            "Scopes whose vectors were dropped from the in-process cache to make room")),

    /** Jobs. */
    JOBS(MetricSpec.counter(
            "recallgate.jobs",
            "Attempts at embedding jobs, by how they ended",
            Label.of(
                    "outcome",
                    "done",
                    "dropped",
                    "retry",
                    "failed",
                    "provider_trouble",
                    "quarantined",
                    "abandoned",
                    "unknown"))),
    /** Jobs. */
    JOBS_PRESENT(MetricSpec.gauge(
            "recallgate.jobs.present",
            "Embedding jobs of all owners that have not ended, and those that failed for good, as counted lately",
            Label.of("state", "available", "running", "retryable", "failed"))),
    /** Jobs. */
    JOBS_OLDEST_AGE(MetricSpec.gauge(
            "recallgate.jobs.oldest.age.seconds",
            "How long the oldest embedding job that has not ended has been there")),
    /** Jobs. */
    JOBS_INCOMPLETE(MetricSpec.counter(
            "recallgate.jobs.incomplete", "Memories that were embedded, but for text that no vector stands for")),

    /** Read workers. */
    READ_WAITING(MetricSpec.gauge("recallgate.read.waiting", "Reads that wait for a read worker", Labels.lane())),
    /** Read workers. */
    READ_WAITING_BYTES(MetricSpec.gauge("recallgate.read.waiting.bytes", "What these are charged with", Labels.lane())),
    /** Read workers. */
    READ_RUNNING(MetricSpec.gauge("recallgate.read.running", "Read workers at work")),
    /** Read workers. */
    READ_RETIRED(MetricSpec.gauge("recallgate.read.retired", "Retired read workers whose threads have not returned")),
    /** Read workers. */
    READ_RETIREMENTS(MetricSpec.counter(
            "recallgate.read.retirements", "Read workers that were given up, since a read did not return")),
    /** Read workers. */
    READ_JOBS(MetricSpec.counter(
            "recallgate.read.jobs",
            "Reads, by how they ended",
            Labels.lane(),
            Label.of("outcome", "done", "failed", "overloaded", "expired", "cancelled", "closed"))),

    /** Read workers. */
    READ_WAIT_DURATION(MetricSpec.histogram(
            "recallgate.read.wait.duration", "How long reads waited for a worker", Buckets.STANDARD, Labels.lane())),
    /** Read workers. */
    READ_RUN_DURATION(MetricSpec.histogram(
            "recallgate.read.run.duration", "How long workers were at reads", Buckets.STANDARD, Labels.lane())),

    /** Database. */
    DATABASE_CONNECTIONS(MetricSpec.gauge(
            "recallgate.database.connections",
            "Connections to PostgreSQL; one that is being opened counts as in use",
            Label.of("state", "in-use", "idle"))),
    /** Database. */
    DATABASE_WAITING(MetricSpec.gauge("recallgate.database.waiting", "Callers that wait for a connection")),
    /** Database. */
    DATABASE_REFUSED(
            MetricSpec.counter("recallgate.database.refused", "Callers that got no connection, since too many waited")),
    /** Database. */
    DATABASE_WAIT_DURATION(MetricSpec.histogram(
            "recallgate.database.wait.duration", "How long callers waited for a connection", Buckets.STANDARD)),
    /** Database. */
    DATABASE_USE_DURATION(MetricSpec.histogram(
            "recallgate.database.use.duration", "How long callers had a connection", Buckets.STANDARD)),
    /** Database. */
    CONNECTIONS_ABANDONED(MetricSpec.gauge(
            "recallgate.database.connections.abandoned",
            "Connections that were closed without an answer, which the server may still hold")),

    /** Retention. */
    RETENTION_MEMORIES(MetricSpec.counter(
            "recallgate.retention.memories", "Memories that were removed since they were past their retention")),
    /** Retention. */
    RETENTION_ROUNDS(MetricSpec.counter(
            "recallgate.retention.rounds",
            "Rounds of retention, by how they ended",
            Label.of("outcome", "done", "more", "elsewhere", "failed")));

    @SuppressWarnings("ImmutableEnumChecker") // A record of words and of lists that cannot be changed.
    private final MetricSpec spec;

    RecallMetric(MetricSpec spec) {
        this.spec = spec;
    }

    @Override
    public MetricSpec spec() {
        return spec;
    }

    private static final class Labels {

        private static Label mode(String name) {
            return Label.of(name, "lexical", "strict", "hybrid");
        }

        private static Label lane() {
            return Label.of("lane", "foreground", "background");
        }

        private static Label dropped() {
            return Label.of("reason", "full", "failed");
        }
    }
}
