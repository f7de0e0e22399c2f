package io.recallgate.recall.jobs;

/**
 * What does not change while a runner lives.
 *
 * @param holder names this runner in leases; unique among all that share the database
 * @param concurrency jobs in flight at once, 1 to 64; far below the pool's queue, which keeps its headroom for queries
 * @param embedMillis how long one embedding may take with its wait in the queue; above the pool's own watchdogs
 * @param maxChars of a content that are embedded; the model's window ends long before
 * @param retentionMillis how long finished jobs are kept
 */
public record JobOptions(String holder, int concurrency, long embedMillis, int maxChars, long retentionMillis) {

    /** The documented defaults. */
    public static JobOptions defaults(String holder) {
        return new JobOptions(holder, 8, 600_000, 32 * 1024, 24 * 3_600_000L);
    }
}
