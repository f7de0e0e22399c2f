package io.recallgate.recall.api;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The embedding jobs of an owner.
 *
 * @param counts number of jobs by state, every state present
 * @param oldestAgeMillis age of the oldest job that has not ended; zero when there is none
 * @param errors of the jobs that failed or wait for a retry, newest first, at most 20
 * @param reembedding how far the active model is, null while none is known
 */
public record JobReport(
        Map<String, Long> counts,
        long oldestAgeMillis,
        List<JobError> errors,
        @Nullable Reembedding reembedding) {

    /**
     * Memories of the owner, and how many have a vector of the active model.
     *
     * @param fingerprint of the model
     * @param memories zero or more
     * @param embedded at most so many
     */
    public record Reembedding(String fingerprint, long memories, long embedded) {
        /** Memories without a vector of the model. */
        public long remaining() {
            return Math.max(0, memories - embedded);
        }
    }

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
