package io.recallgate.recall.api;

import io.recallgate.time.Deadline;
import io.vertx.core.Future;

/** Shows embedding jobs and retries failed ones. Failures as in {@link MemoryService}. */
public interface JobService {

    /** The owner's jobs in this scope. */
    Future<JobReport> report(Scope scope, Deadline deadline);

    /** Makes the scope's failed jobs available again and returns how many there were. */
    Future<Integer> retryFailed(Scope scope, Deadline deadline);
}
