package io.recallgate.recall.search;

import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import io.recallgate.recall.api.DegradeReason;

/** Why there is no vector leg, as a failure that carries its label. Expected, so it has no stack trace. */
final class Degradation extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final DegradeReason reason;

    Degradation(DegradeReason reason, Throwable cause) {
        // Not the message of anything else: it might quote the text.
        super(FailureException.of(cause).detail(), cause, false, false);
        this.reason = reason;
    }

    Degradation(DegradeReason reason, String detail) {
        super(detail, null, false, false);
        this.reason = reason;
    }

    DegradeReason reason() {
        return reason;
    }

    /** The label of any failure of the vector leg; what has none yet is the index's. */
    static Degradation of(Throwable error) {
        return of(error, DegradeReason.VECTOR_INDEX_UNAVAILABLE);
    }

    /**
     * The same where a deadline was given to the index, which may tell that it has passed before our own clock does.
     *
     * @param late the label of that
     */
    static Degradation of(Throwable error, DegradeReason late) {
        if (error instanceof Degradation degradation) {
            return degradation;
        }
        return FailureException.of(error).code() == FailureCode.DEADLINE_EXCEEDED
                ? new Degradation(late, error)
                : ofIndex(error);
    }

    /** The label of a provider's failure. */
    static Degradation ofEmbedding(Throwable error, DegradeReason late) {
        FailureCode code = FailureException.of(error).code();
        DegradeReason reason =
                switch (code) {
                    case DEADLINE_EXCEEDED -> late;
                    case OVERLOADED -> DegradeReason.EMBEDDING_OVERLOADED;
                    case EMBEDDING_CIRCUIT_OPEN -> DegradeReason.EMBEDDING_CIRCUIT_OPEN;
                    case DIMENSION_MISMATCH -> DegradeReason.DIMENSION_MISMATCH;
                    case NO_EMBEDDING_PROVIDER -> DegradeReason.NO_EMBEDDING_PROVIDER;
                    case EMBEDDING_UNAVAILABLE, NOT_READY, SHUTTING_DOWN, MODEL_UNUSABLE ->
                        DegradeReason.EMBEDDING_UNAVAILABLE;
                    default -> DegradeReason.EMBEDDING_ERROR;
                };
        return new Degradation(reason, error);
    }

    /** The label of the index's failure: an invalid vector is one of another dimension. */
    static Degradation ofIndex(Throwable error) {
        DegradeReason reason = FailureException.of(error).code() == FailureCode.INVALID_FIELD
                ? DegradeReason.DIMENSION_MISMATCH
                : DegradeReason.VECTOR_INDEX_UNAVAILABLE;
        return new Degradation(reason, error);
    }
}
