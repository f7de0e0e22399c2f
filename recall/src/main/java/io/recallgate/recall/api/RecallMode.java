package io.recallgate.recall.api;

import java.util.Locale;

/** How to search. */
public enum RecallMode {
    /** Words, ranked with BM25; no embedding. */
    LEXICAL,
    /** Literal substring; no embedding. */
    STRICT,
    /** Words and meaning, fused. */
    HYBRID;

    /** As users write it. */
    public String wireName() {
        return name().toLowerCase(Locale.ROOT);
    }
}
