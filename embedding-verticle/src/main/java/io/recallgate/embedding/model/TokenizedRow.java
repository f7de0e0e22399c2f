package io.recallgate.embedding.model;

/** One row as the model wants it: token ids with special tokens and prefix. Immutable. */
public final class TokenizedRow {

    private final long[] ids;
    private final boolean truncated;

    /**
     * Takes the array over; the caller must not change it.
     *
     * @param truncated whether text or tokens were cut off
     */
    TokenizedRow(long[] ids, boolean truncated) {
        this.ids = ids;
        this.truncated = truncated;
    }

    /** A row for scripted models in tests: ids do not matter, their number does. */
    public static TokenizedRow ofLength(int tokens, boolean truncated) {
        return new TokenizedRow(new long[tokens], truncated);
    }

    /** Number of tokens, special tokens and prefix included. */
    public int tokens() {
        return ids.length;
    }

    /** Whether something was cut off to fit the limits. */
    public boolean truncated() {
        return truncated;
    }

    long id(int index) {
        return ids[index];
    }
}
