package io.recallgate.recall.jobs;

import io.recallgate.failure.FailureCode;

/** Whose fault a failed embedding is, which decides whether it counts against the job. */
enum Verdict {
    /** The provider's, or nobody's: the job waits and keeps its attempts. */
    PROVIDER,
    /** Perhaps the text's: it counts if the provider embeds another text. */
    SUSPECT,
    /** The text's, and a thread is still out with it: its job is kept and asks again, which costs nothing. */
    QUARANTINED,
    /** The text's, and it will not get better. */
    HOPELESS,
    /** We gave up ourselves: nothing is written. */
    ABANDONED;

    static Verdict of(FailureCode code) {
        return switch (code) {
            case CANCELLED -> ABANDONED;
            case WORK_TOO_LARGE, INVALID_TEXT, PAYLOAD_TOO_LARGE, EMBEDDING_GIVEN_UP -> HOPELESS;
            case QUARANTINED -> QUARANTINED;
            case EMBEDDING_FAILED, INTERNAL -> SUSPECT;
            default -> PROVIDER;
        };
    }
}
