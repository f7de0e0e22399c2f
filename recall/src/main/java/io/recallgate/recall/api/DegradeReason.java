package io.recallgate.recall.api;

import java.util.Locale;

/** Why a hybrid recall was answered without its vector leg: a closed vocabulary, in envelopes, headers, logs, metrics. */
public enum DegradeReason {
    /** The embedding was not there within its own limit. */
    EMBEDDING_TIMEOUT,
    /** The provider refused the connection or is gone. */
    EMBEDDING_UNAVAILABLE,
    /** The provider's queue is full. */
    EMBEDDING_OVERLOADED,
    /** The circuit breaker is open; nothing was asked. */
    EMBEDDING_CIRCUIT_OPEN,
    /** The provider answered with an error. */
    EMBEDDING_ERROR,
    /** The request's own deadline left no time for it. */
    DEADLINE_EXHAUSTED,
    /** The vector index cannot be read. */
    VECTOR_INDEX_UNAVAILABLE,
    /** No memory has a vector of the active model. */
    MODEL_MISMATCH,
    /** The provider's vector has another dimension than the stored ones. */
    DIMENSION_MISMATCH,
    /** None is configured. */
    NO_EMBEDDING_PROVIDER;

    /** What an operator is to do when it happens often; one sentence without a full stop. */
    public String advice() {
        return switch (this) {
            case EMBEDDING_TIMEOUT, EMBEDDING_UNAVAILABLE, EMBEDDING_CIRCUIT_OPEN, EMBEDDING_ERROR ->
                "look after the embedding provider (GET /v1/workers, GET /health); a higher EMBEDDING_TIMEOUT_MS would"
                        + " only make callers wait longer for the same answer";
            case EMBEDDING_OVERLOADED ->
                "give the embedding provider more workers or fewer documents at a time (GET /v1/workers)";
            case DEADLINE_EXHAUSTED ->
                "callers set deadlines that leave no time for an embedding: have them wait longer";
            case VECTOR_INDEX_UNAVAILABLE ->
                "look after the vector index: the log names its trouble, such as a cache that is too small for an owner";
            case MODEL_MISMATCH ->
                "memories are not embedded with the active model yet: look after the jobs (GET /v1/jobs)";
            case DIMENSION_MISMATCH ->
                "the provider's vectors have another dimension than its model's: check its model";
            case NO_EMBEDDING_PROVIDER -> "configure an embedding provider, or ask for lexical recall";
        };
    }

    /** As users read it: {@code embedding-timeout}. */
    public String wireName() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
