package io.recallgate.recall.jobs;

import io.recallgate.embedding.api.EmbeddingVector;
import java.util.List;

/**
 * A job whose vectors are made and not yet committed.
 *
 * @param job as it was claimed
 * @param fingerprint of the model that made all of them
 * @param passages at least one, in the order of the text
 */
record EmbeddedJob(ClaimedJob job, String fingerprint, List<EmbeddedPassage> passages) {

    EmbeddedJob {
        passages = List.copyOf(passages);
    }

    /**
     * One passage.
     *
     * @param vector of unit length
     * @param incomplete whether text is missing in it or, of the last one, after it
     */
    record EmbeddedPassage(EmbeddingVector vector, boolean incomplete) {}

    /** What its vectors take in a statement. */
    long bytes() {
        return passages.stream()
                .mapToLong(passage -> 4L * passage.vector().dimensions())
                .sum();
    }

    /** Whether some of the memory's text has no vector. */
    boolean isIncomplete() {
        return passages.stream().anyMatch(EmbeddedPassage::incomplete);
    }
}
