package io.recallgate.recall.api;

import java.util.Locale;

/** Where a question's vector came from. */
public enum EmbeddingSource {
    /** The provider made it for this question. */
    PROVIDER,
    /** The provider made it for the same question, asked at the same time. */
    SHARED,
    /** It was made for the same question, asked a while ago. */
    MEMO;

    /** As users read it: {@code memo}. */
    public String wireName() {
        return name().toLowerCase(Locale.ROOT);
    }
}
