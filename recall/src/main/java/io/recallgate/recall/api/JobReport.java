package io.recallgate.recall.api;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * The embedding jobs of an owner.
 *
 * @param counts number of jobs by state, every state present
 * @param oldestAgeMillis age of the oldest job that has not ended; zero when there is none
 * @param errors of the jobs that failed or wait for a retry, newest first, at most 20
 */
public record JobReport(Map<String, Long> counts, long oldestAgeMillis, List<JobError> errors) {

    /**
     * One failed attempt.
     *
     * @param memoryId whose embedding it was
     * @param attempt from 1
     * @param code failure code
     * @param detail one sentence, without text of the memory
     * @param at when
     */
    public record JobError(UUID memoryId, int attempt, String code, String detail, Instant at) {}
}
