package io.recallgate.embedding.pool;

import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import io.recallgate.time.CancelCause;
import java.time.Duration;

/** The failures of the pool, in the words that callers see. */
final class Outcomes {

    /** A full queue of short work has room again within a second or so. */
    private static final Duration OVERLOAD_RETRY = Duration.ofSeconds(1);

    private Outcomes() {}

    static FailureException overloaded(String detail) {
        return new FailureException(FailureCode.OVERLOADED, detail).retryAfter(OVERLOAD_RETRY);
    }

    static FailureException gaveUp(CancelCause cause) {
        return switch (cause) {
            case DEADLINE -> deadline();
            case SHUTDOWN -> shuttingDown();
            case CALLER, DISCONNECTED, SUPERSEDED ->
                new FailureException(FailureCode.CANCELLED, "the caller cancelled");
        };
    }

    static FailureException deadline() {
        return new FailureException(FailureCode.DEADLINE_EXCEEDED, "the deadline passed before the vectors were there");
    }

    static FailureException shuttingDown() {
        return new FailureException(FailureCode.SHUTTING_DOWN, "the embedding pool is shutting down");
    }

    static FailureException quarantined() {
        return new FailureException(
                FailureCode.QUARANTINED,
                "a worker that took this input has not returned, and nobody runs it a second time beside it");
    }

    static FailureException expired() {
        return new FailureException(
                FailureCode.QUARANTINED, "the input was still being embedded when its watchdog ended it");
    }

    static FailureException givenUp() {
        return new FailureException(
                FailureCode.EMBEDDING_GIVEN_UP,
                "this very input outlived its watchdog, or ended its worker, twice and is not tried again");
    }

    static FailureException failed(String detail) {
        return new FailureException(FailureCode.EMBEDDING_FAILED, detail);
    }

    static FailureException unavailable(String detail) {
        return new FailureException(FailureCode.EMBEDDING_UNAVAILABLE, detail);
    }

    static FailureException modelUnusable() {
        return new FailureException(
                FailureCode.MODEL_UNUSABLE, "the embedding model cannot be loaded; the log says why");
    }
}
