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

    /** As users read it: {@code embedding-timeout}. */
    public String wireName() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
