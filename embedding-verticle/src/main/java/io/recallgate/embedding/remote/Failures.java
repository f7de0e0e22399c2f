package io.recallgate.embedding.remote;

import io.recallgate.embedding.api.Priority;
import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import io.recallgate.time.CancelCause;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** How callers are told of what is not the provider's own answer. */
final class Failures {

    private Failures() {}

    static FailureException circuitOpen(long retryNanos) {
        return new FailureException(
                        FailureCode.EMBEDDING_CIRCUIT_OPEN,
                        "the embedding provider let queries wait in vain; it is left alone for a while")
                .retryAfter(Duration.ofNanos(Math.max(retryNanos, TimeUnit.SECONDS.toNanos(1))));
    }

    static FailureException shuttingDown() {
        return new FailureException(FailureCode.SHUTTING_DOWN, "the embedding provider is being shut down");
    }

    /** Its own bound has come: for a query that is a limit like its deadline, for documents an error of the provider. */
    static FailureException noAnswer(Priority priority, long nanos) {
        return new FailureException(
                priority == Priority.QUERY ? FailureCode.DEADLINE_EXCEEDED : FailureCode.EMBEDDING_FAILED,
                "the embedding provider did not answer within " + TimeUnit.NANOSECONDS.toMillis(nanos) + " ms");
    }

    static FailureException changedDimensions() {
        return new FailureException(
                FailureCode.DIMENSION_MISMATCH, "the embedding provider's vectors change their number of dimensions");
    }

    static FailureException gaveUp(CancelCause cause) {
        return switch (cause) {
            case DEADLINE ->
                new FailureException(
                        FailureCode.DEADLINE_EXCEEDED, "the deadline passed before the vectors were there");
            case SHUTDOWN -> shuttingDown();
            case CALLER, DISCONNECTED, SUPERSEDED ->
                new FailureException(FailureCode.CANCELLED, "the caller cancelled");
        };
    }
}
