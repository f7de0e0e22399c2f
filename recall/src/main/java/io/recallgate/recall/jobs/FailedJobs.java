package io.recallgate.recall.jobs;

import java.util.UUID;

/** Told of jobs that failed for good. Called on event loops; returns at once and throws nothing. */
@FunctionalInterface
interface FailedJobs {

    /**
     * A job failed for good.
     *
     * @param job its id
     * @param memory that has no vector
     * @param code of the failure: a {@link io.recallgate.failure.FailureCode}'s, or {@code lease-expired}
     */
    void failed(long job, UUID memory, String code);
}
