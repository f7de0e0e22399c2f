package io.recallgate.embedding.pool;

import io.recallgate.embedding.api.EmbedResult;
import io.recallgate.failure.FailureException;
import io.recallgate.time.CancelCause;

/** How a waiter settled. */
public sealed interface WaiterOutcome {

    /** Vectors for all rows. Immutable, so one result serves all waiters of an operation. */
    record Success(EmbedResult result) implements WaiterOutcome {}

    /** No vectors, and why. */
    record Failure(FailureException failure) implements WaiterOutcome {
        /** How a caller settles that has given up, whoever tells it. */
        public static Failure gaveUp(CancelCause cause) {
            return new Failure(Outcomes.gaveUp(cause));
        }
    }
}
