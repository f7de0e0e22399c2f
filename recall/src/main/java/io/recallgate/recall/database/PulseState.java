package io.recallgate.recall.database;

import java.util.EnumSet;
import java.util.Set;

/** What is known of whether the database answers; the documents show its edges. */
public enum PulseState {
    /** Nobody waits for it. */
    RESTING,
    /** Somebody waits; it is looked at now and then whether anything comes back. */
    WATCHING,
    /** Nothing came back for a while, so it was asked; or somebody wanted to know. */
    ASKING,
    /** It did not even answer that: callers are refused until something comes back. */
    SILENT;

    /** The states that may follow this one. */
    public Set<PulseState> next() {
        return switch (this) {
            case RESTING -> EnumSet.of(WATCHING, ASKING);
            case WATCHING -> EnumSet.of(RESTING, ASKING);
            case ASKING -> EnumSet.of(RESTING, WATCHING, SILENT);
            case SILENT -> EnumSet.of(RESTING, WATCHING);
        };
    }
}
