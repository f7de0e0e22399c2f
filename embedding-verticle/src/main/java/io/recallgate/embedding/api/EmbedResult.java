package io.recallgate.embedding.api;

import java.util.List;

/**
 * Vectors for one request.
 *
 * @param model which model made them
 * @param vectors one for each input, in order
 * @param tokenCounts tokens of each input after the cut, special tokens and prefix included
 * @param truncated indices of the inputs that were cut to the model's window, ascending
 * @param timing where the time went
 */
public record EmbedResult(
        ModelIdentity model,
        List<EmbeddingVector> vectors,
        List<Integer> tokenCounts,
        List<Integer> truncated,
        Timing timing) {

    /** Copies the lists. */
    public EmbedResult {
        vectors = List.copyOf(vectors);
        tokenCounts = List.copyOf(tokenCounts);
        truncated = List.copyOf(truncated);
    }

    /** Sum of {@link #tokenCounts}. */
    public int totalTokens() {
        return tokenCounts.stream().mapToInt(Integer::intValue).sum();
    }

    /**
     * Spans in nanoseconds, on the pool's clock. Of what was done together with other requests each has its share, so
     * that a sum over requests is time that was spent.
     *
     * @param queueNanos from admission to the first dispatch
     * @param tokenizeNanos spent in the tokenizer, all rows
     * @param inferenceNanos spent in native runs, all rows
     */
    public record Timing(long queueNanos, long tokenizeNanos, long inferenceNanos) {
        /** No time at all, for providers that do not tell. */
        public static final Timing NONE = new Timing(0, 0, 0);
    }
}
