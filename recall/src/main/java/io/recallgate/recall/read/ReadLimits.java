package io.recallgate.recall.read;

import java.util.concurrent.TimeUnit;

/**
 * Bounds of the read workers.
 *
 * @param workers jobs that run at once, 1 to 64; each has a thread of its own
 * @param queueJobs jobs of both lanes that may wait, 1 or more; the next is refused
 * @param queueBytes what these may be charged with together. A job larger than that is taken when no other waits
 * @param backgroundJobs of the former, how many may be background
 * @param backgroundBytes of the former, what background may be charged with
 * @param foregroundWeight foreground jobs that may start in a row while background waits; then one of the background does
 * @param graceNanos how long after its deadline a running job may take to return before its worker is retired
 * @param runNanos how long a job may run in all before its worker is retired, whatever its deadline
 * @param replacements retired workers whose threads have not returned for which others are made; with more of them, fewer
 *     than {@code workers} jobs run at once
 */
public record ReadLimits(
        int workers,
        int queueJobs,
        long queueBytes,
        int backgroundJobs,
        long backgroundBytes,
        int foregroundWeight,
        long graceNanos,
        long runNanos,
        int replacements) {

    /** Two workers, as on two cores more would only make each slower; all are to be set in proportion. */
    public static final ReadLimits DEFAULTS = new ReadLimits(
            2,
            128,
            8L << 20,
            32,
            2L << 20,
            4,
            // A job looks at its deadline each millisecond or so; one that has not returned after this does not look.
            TimeUnit.SECONDS.toNanos(2),
            // The largest body and the largest scan take a second or two on a slow machine.
            TimeUnit.SECONDS.toNanos(30),
            2);

    /** Checks what would never run anything. */
    public ReadLimits {
        if (workers < 1 || workers > 64 || queueJobs < 1 || foregroundWeight < 1 || replacements < 0) {
            throw new IllegalArgumentException("read limits out of range: " + workers + " workers, " + queueJobs
                    + " jobs, weight " + foregroundWeight + ", " + replacements + " replacements");
        }
    }

    /** The same with another number of workers and of jobs that may wait. */
    public ReadLimits with(int otherWorkers, int otherQueueJobs) {
        return new ReadLimits(
                otherWorkers,
                otherQueueJobs,
                queueBytes,
                Math.min(backgroundJobs, otherQueueJobs),
                backgroundBytes,
                foregroundWeight,
                graceNanos,
                runNanos,
                replacements);
    }
}
