package io.recallgate.embedding.protocol;

/**
 * Where a slice spent its time, in nanoseconds.
 *
 * @param tokenizeNanos in the tokenizer, all rows
 * @param inferenceNanos in native runs, all rows
 */
public record SliceTiming(long tokenizeNanos, long inferenceNanos) {
    /** No time at all. */
    public static final SliceTiming NONE = new SliceTiming(0, 0);
}
