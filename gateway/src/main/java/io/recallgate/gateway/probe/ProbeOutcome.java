package io.recallgate.gateway.probe;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * How an attempt ended. Immutable, so that all who wait may have the same.
 *
 * @param verdict what it shows
 * @param cause a short stable word for why, null for a healthy one
 * @param detail one sentence for people, without texts, keys or addresses; empty for none
 * @param mode how the recall was served, null for a probe that does not recall
 * @param abandoned whether the transport says that the work goes on although nobody waits for it
 */
public record ProbeOutcome(
        Verdict verdict,
        @Nullable String cause,
        String detail,
        @Nullable String mode,
        boolean abandoned) {

    /** What an attempt shows. */
    public enum Verdict {
        /** Everything worked. */
        HEALTHY,
        /** Something did not, or only with less than was asked for. */
        FAILED,
        /** Nothing: it was ended by a stop. */
        CANCELLED
    }

    /** Everything worked. */
    public static ProbeOutcome healthy(@Nullable String mode) {
        return new ProbeOutcome(Verdict.HEALTHY, null, "", mode, false);
    }

    /** Something did not. */
    public static ProbeOutcome failed(String cause, String detail) {
        return new ProbeOutcome(Verdict.FAILED, cause, detail, null, false);
    }

    /** A stop ended it. */
    public static ProbeOutcome cancelled() {
        return new ProbeOutcome(Verdict.CANCELLED, "cancelled", "a stop ended the attempt", null, false);
    }

    /** The same with the mode that answered. */
    public ProbeOutcome served(String by) {
        return new ProbeOutcome(verdict, cause, detail, by, abandoned);
    }

    /** The same, told by the transport whether the work goes on. */
    public ProbeOutcome abandoned(boolean goesOn) {
        return new ProbeOutcome(verdict, cause, detail, mode, goesOn);
    }

    /** Whether everything worked. */
    public boolean isHealthy() {
        return verdict == Verdict.HEALTHY;
    }

    /** The cause, {@code none} for a healthy one. */
    String causeOrNone() {
        return Objects.requireNonNullElse(cause, "none");
    }
}
