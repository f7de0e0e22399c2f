package io.recallgate.recall.search;

import io.recallgate.recall.log.RecallRecord.Counts;
import org.jspecify.annotations.Nullable;

/** What one recall found, before its answer's limit, and whether a part of its question was not looked at. Thread-safe. */
final class Tally {

    private volatile @Nullable Integer lexical;
    private volatile @Nullable Integer vector;
    private volatile @Nullable Integer together;
    private volatile boolean truncated;

    /** By words alone. */
    void words(int found) {
        lexical = found;
        together = found;
    }

    /** By both legs, and by either. */
    void legs(int byWords, int byMeaning, int byEither) {
        lexical = byWords;
        vector = byMeaning;
        together = byEither;
    }

    void truncated() {
        truncated = true;
    }

    boolean isTruncated() {
        return truncated;
    }

    Counts counts() {
        return new Counts(lexical, vector, together);
    }
}
