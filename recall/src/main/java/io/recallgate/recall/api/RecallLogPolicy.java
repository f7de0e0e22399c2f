package io.recallgate.recall.api;

import java.util.Locale;

/**
 * What is kept of recalls, and for how long.
 *
 * @param questions how the log has the questions
 * @param days how long a recall is kept, 1 to 3,650
 */
public record RecallLogPolicy(Questions questions, int days) {

    /** Ten years. */
    public static final int MAX_DAYS = 3_650;

    /** The documented default (conf/recallgate.yaml). */
    public static final RecallLogPolicy DEFAULTS = new RecallLogPolicy(Questions.HASHED, 30);

    /** How the log has the questions. */
    public enum Questions {
        /** As a keyed hash: equal ones can be told, none can be read. */
        HASHED,
        /** The beginning of each can be read. */
        TEXT,
        /** There is no log. */
        NONE;

        /** As users write it. */
        public String wireName() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** Whether there is a log. */
    public boolean isKept() {
        return questions != Questions.NONE;
    }

    /** Checks the days. */
    public RecallLogPolicy {
        if (days < 1 || days > MAX_DAYS) {
            throw new IllegalArgumentException("days must be 1 to " + MAX_DAYS);
        }
    }
}
