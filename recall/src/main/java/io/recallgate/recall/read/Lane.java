package io.recallgate.recall.read;

import java.util.Locale;

/** Who waits for a read. */
public enum Lane {
    /** Somebody who looks at a screen. */
    FOREGROUND,
    /** A stream that may take its time, such as an export or an import. */
    BACKGROUND;

    String wireName() {
        return name().toLowerCase(Locale.ROOT);
    }
}
