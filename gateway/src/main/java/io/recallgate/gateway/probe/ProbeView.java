package io.recallgate.gateway.probe;

import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A gate as its last event left it. Immutable; instants are nanoseconds of the gate's clock and compared by subtraction.
 *
 * @param name of the probe
 * @param options as they were at that event
 * @param state of the gate
 * @param sinceNanos when the schedule began; means nothing before
 * @param generation what results are about, null before the first start
 * @param result the last of this generation, null if there is none
 * @param flight what is on its way, null for nothing
 * @param charged what the last attempt cost, whatever it was about; null before the first
 * @param due when the schedule begins the next, null while something is on its way, or if there is no next
 * @param waiting who ran it by hand and waits
 * @param failures in a row
 * @param stopReason why nothing is begun by schedule, null if something is
 * @param counts since the process began
 * @param warnings that hold
 */
public record ProbeView(
        String name,
        ProbeOptions options,
        GateState state,
        long sinceNanos,
        @Nullable Generation generation,
        @Nullable Settled result,
        @Nullable Flight flight,
        @Nullable Charged charged,
        @Nullable Due due,
        int waiting,
        int failures,
        @Nullable StopReason stopReason,
        Counts counts,
        Set<ProbeWarning> warnings) {

    /** Copies the set. */
    public ProbeView {
        warnings = Set.copyOf(warnings);
    }

    /**
     * What results are about.
     *
     * @param id rises with each change, also back to a key of before
     * @param key as far as it is known
     */
    public record Generation(long id, ProbeKey key) {}

    /**
     * An attempt on its way.
     *
     * @param id counts attempts
     * @param generation it is about
     * @param startNanos when it began
     * @param budgetNanos that it was begun with, whatever the options say since
     * @param idleNanos from the end of the attempt before, null for the first
     */
    public record Flight(
            long id,
            long generation,
            long startNanos,
            long budgetNanos,
            @Nullable Long idleNanos) {}

    /**
     * An attempt that has ended.
     *
     * @param flight as it was begun
     * @param outcome how it ended
     * @param settledNanos when
     * @param chargedNanos what it cost
     */
    public record Settled(Flight flight, ProbeOutcome outcome, long settledNanos, long chargedNanos) {
        /** From beginning to end. */
        public long spanNanos() {
            return settledNanos - flight.startNanos();
        }
    }

    /**
     * What the last attempt cost, which the next has to wait for.
     *
     * @param startNanos when it began
     * @param settledNanos when it ended
     * @param nanos that it is charged
     * @param abandoned whether the work went on
     */
    public record Charged(long startNanos, long settledNanos, long nanos, boolean abandoned) {}

    /** When the next attempt begins, and what sets that instant. */
    public record Due(long atNanos, Cause cause) {
        /** What it waits for last. */
        public enum Cause {
            /** The cadence. */
            CADENCE,
            /** The floor after the attempt before. */
            PACING,
            /** The wait after a failure. */
            BACKOFF;

            /** As in JSON. */
            public String wireName() {
                return name().toLowerCase(Locale.ROOT);
            }
        }
    }

    /**
     * Why nothing is begun by schedule.
     *
     * @param failures that there were in a row
     * @param allowed that there may be
     */
    public record StopReason(int failures, int allowed) {}

    /**
     * Numbers since the process began.
     *
     * @param attempts by verdict, including those whose result was dropped
     * @param skipped ticks that began no attempt, by cause
     * @param chargedNanos what all attempts cost
     * @param abandoned attempts whose work went on
     * @param dropped results nobody wanted: about another model, late, or twice
     * @param fenced timers of a schedule that had ended
     */
    public record Counts(
            Map<ProbeOutcome.Verdict, Long> attempts,
            Map<SkipCause, Long> skipped,
            long chargedNanos,
            long abandoned,
            long dropped,
            long fenced) {
        /** Copies the maps. */
        public Counts {
            attempts = Map.copyOf(attempts);
            skipped = Map.copyOf(skipped);
        }
    }
}
