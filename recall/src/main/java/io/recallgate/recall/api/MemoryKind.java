package io.recallgate.recall.api;

import java.util.Locale;

/** What a memory is. */
public enum MemoryKind {
    /** A standalone fact. */
    NOTE,
    /** One turn of a conversation. */
    TURN,
    /** A document or a part of one. */
    DOCUMENT;

    /** As users write it: {@code note}, {@code turn}, {@code document}. */
    public String wireName() {
        return name().toLowerCase(Locale.ROOT);
    }
}
