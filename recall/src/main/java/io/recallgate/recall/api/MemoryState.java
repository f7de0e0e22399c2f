package io.recallgate.recall.api;

import java.util.Locale;

/** How far a memory's embedding is. Lexical recall finds it in every state. */
public enum MemoryState {
    /** Its job has not finished. */
    PENDING,
    /** Vectors of the active model exist for all passages of its content. */
    EMBEDDED,
    /** Its job failed for good; an operator can retry it. */
    FAILED;

    /** As users read it. */
    public String wireName() {
        return name().toLowerCase(Locale.ROOT);
    }
}
