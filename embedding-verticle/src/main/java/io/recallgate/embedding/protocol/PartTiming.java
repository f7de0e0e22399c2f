package io.recallgate.embedding.protocol;

/**
 * What the rows of one part cost its worker, in nanoseconds; the parts of a slice add up to the slice's time. Rows that
 * shared a native run are padded to one length and cost the same, so each has an equal share of it.
 *
 * @param tokenizeNanos in the tokenizer, all rows of the part
 * @param inferenceNanos in native runs, all rows of the part
 */
public record PartTiming(long tokenizeNanos, long inferenceNanos) {
    /** No time at all. */
    public static final PartTiming NONE = new PartTiming(0, 0);
}
