package io.recallgate.gateway.probe;

import java.util.concurrent.TimeUnit;

/**
 * How a probe is paced. Spans that are computed here are in nanoseconds.
 *
 * @param cadenceMillis between the beginnings of two attempts, as long as they are cheap; 0 for no attempts
 * @param duty the share of its own time that a probe may be charged, between 0 and 1; any other value sets no floor
 * @param budgetMillis how long an attempt may take; it is given up then
 * @param backoffMillis wait after a first failure; doubles with each further one in a row
 * @param backoffMaxMillis the longest such wait
 * @param maxFailures in a row after which it is given up until somebody runs it by hand or the model changes; 0 for never
 */
public record ProbeOptions(
        long cadenceMillis,
        double duty,
        long budgetMillis,
        long backoffMillis,
        long backoffMaxMillis,
        int maxFailures) {

    /** The defaults of the configuration. */
    public static final ProbeOptions DEFAULTS = new ProbeOptions(60_000, 0.2, 30_000, 30_000, 600_000, 0);

    /** Beyond it a doubled wait is longer than any maximum. */
    private static final int MAX_DOUBLINGS = 40;

    /** Whether there are attempts by schedule. */
    public boolean isEnabled() {
        return cadenceMillis > 0;
    }

    /** Whether attempts have a floor. */
    public boolean isPaced() {
        return duty > 0 && duty < 1;
    }

    /** The same for a probe that has nothing to try out. */
    ProbeOptions withoutSchedule() {
        return new ProbeOptions(0, duty, budgetMillis, backoffMillis, backoffMaxMillis, maxFailures);
    }

    long cadenceNanos() {
        return nanos(cadenceMillis);
    }

    long budgetNanos() {
        return nanos(budgetMillis);
    }

    /**
     * What an attempt costs its probe. Whoever is asked may work on after it was left: for how long nobody can tell, so
     * another budget is charged.
     *
     * @param abandoned whether the transport says that the work goes on
     * @param budgetNanos that the attempt was begun with
     */
    static long chargedNanos(long spanNanos, boolean abandoned, long budgetNanos) {
        return abandoned ? spanNanos + budgetNanos : spanNanos;
    }

    /** From the beginning of an attempt that was charged so much until the next may begin. */
    long periodNanos(long chargedNanos) {
        return isPaced() ? (long) Math.ceil(chargedNanos / duty) : 0;
    }

    /** The most that an attempt may cost without a tick being left out. */
    long affordableNanos() {
        return isPaced() ? (long) (duty * cadenceNanos()) : cadenceNanos();
    }

    /** The wait after so many failures in a row, none for none. */
    long backoffNanos(int failures) {
        if (failures == 0) {
            return 0;
        }
        double doubled = backoffMillis * Math.pow(2, Math.min(failures - 1, MAX_DOUBLINGS));
        return nanos((long) Math.min((double) backoffMaxMillis, doubled));
    }

    /** Whether so many failures in a row are too many to go on. */
    boolean isTooMany(int failures) {
        return maxFailures > 0 && failures >= maxFailures;
    }

    private static long nanos(long millis) {
        return TimeUnit.MILLISECONDS.toNanos(millis);
    }
}
