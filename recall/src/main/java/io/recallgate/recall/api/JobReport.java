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
     * Memories of the owner, and how many have vectors of the active model for all their passages.
     *
     * @param fingerprint of the model
     * @param memories zero or more
     * @param embedded at most so many
     * @param passages of those that are embedded, one each at least
     * @param incomplete how many of those have text that no passage holds whole, and that is found by its words only
     */
    public record Reembedding(String fingerprint, long memories, long embedded, long passages, long incomplete) {
        /** Memories that are not embedded with the model, or not in all their passages. */
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
