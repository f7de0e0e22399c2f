package io.recallgate.gateway.postgres;

import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;

/** One line for each way in which the embedded PostgreSQL cannot be had. */
final class PostgresFailure {

    private PostgresFailure() {}

    static FailureException of(String line) {
        return new FailureException(FailureCode.DATABASE_UNAVAILABLE, "the embedded PostgreSQL " + line);
    }
}
