package io.recallgate.embedding.bus;

import java.util.Locale;
import java.util.Optional;

/** What a cancellation found. In every case the caller's own interest has ended. */
public enum CancelOutcome {
    /**
     * The work had not started as far as the pool knows and, if nobody else wants it, will not. Where a worker takes it
     * up in the same moment, it runs with nobody waiting for it.
     */
    CANCELLED,
    /** The work runs natively; the caller no longer waits for it. */
    RUNNING,
    /** There was an answer before, or a cancellation. */
    SETTLED,
    /**
     * No such request is known, or its answer is long past. One that arrives within ten seconds after this is answered
     * {@code cancelled} and starts nothing: it was overtaken by its own cancellation.
     */
    UNKNOWN;

    /** As in messages. */
    public String code() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** The outcome with this code. */
    public static Optional<CancelOutcome> ofCode(String code) {
        for (CancelOutcome outcome : values()) {
            if (outcome.code().equals(code)) {
                return Optional.of(outcome);
            }
        }
        return Optional.empty();
    }
}
