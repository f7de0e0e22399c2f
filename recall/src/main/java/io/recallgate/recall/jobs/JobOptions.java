package io.recallgate.recall.jobs;

/**
 * What does not change while a runner lives.
 *
 * @param holder names this runner in leases; unique among all that share the database
 * @param concurrency jobs in flight at once, 1 to 128: some slices of work for the embedder, and far below its queue,
 *     which keeps its headroom for queries and other documents
 * @param contentBytes of contents held at once, beyond which no further job is begun
 * @param embedMillis how long one request may take with its wait in the queue; above the pool's own watchdogs
 * @param retentionMillis how long finished jobs are kept
 */
public record JobOptions(String holder, int concurrency, long contentBytes, long embedMillis, long retentionMillis) {

    /** Eight slices of eight rows, a quarter of what the pool's queue admits of documents. */
    private static final int CONCURRENCY = 64;

    /** The documented defaults. */
    public static JobOptions defaults(String holder) {
        return new JobOptions(holder, CONCURRENCY, 8L << 20, 600_000, 24 * 3_600_000L);
    }

    /** The same with another number of jobs in flight. */
    public JobOptions withConcurrency(int jobs) {
        return new JobOptions(holder, jobs, contentBytes, embedMillis, retentionMillis);
    }
}
