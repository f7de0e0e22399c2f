package io.recallgate.recall.jobs;

/**
 * What does not change while a runner lives.
 *
 * @param holder names this runner in leases; unique among all that share the database
 * @param concurrency jobs at the embedder at once, 1 to 128: some slices of work, and far below its queue, which keeps its
 *     headroom for queries and other documents. As many again may wait for their commit
 * @param contentBytes of contents held at once, beyond which no further job is begun
 * @param embedMillis how long one request may take with its wait in the queue; above the pool's own watchdogs
 * @param retentionMillis how long finished jobs are kept
 * @param groupMillis how long a vector may wait to be committed with those that are being made, 0 for not at all
 */
public record JobOptions(
        String holder, int concurrency, long contentBytes, long embedMillis, long retentionMillis, long groupMillis) {

    /**
     * Twelve slices of eight rows, less than half of what the pool's queue admits of documents: half of them keep two
     * workers busy for some 200 ms, in which the next are claimed on a machine that is busy with the others.
     */
    private static final int CONCURRENCY = 96;

    /**
     * What two workers embed in it, some 45 memories, costs little more to commit than what one slice holds. Only while
     * others are being embedded; a memory that comes alone is committed at once.
     */
    private static final long GROUP_MILLIS = 200;

    /** The documented defaults. */
    public static JobOptions defaults(String holder) {
        return new JobOptions(holder, CONCURRENCY, 8L << 20, 600_000, 24 * 3_600_000L, GROUP_MILLIS);
    }

    /** The same with another number of jobs in flight. */
    public JobOptions withConcurrency(int jobs) {
        return new JobOptions(holder, jobs, contentBytes, embedMillis, retentionMillis, groupMillis);
    }

    /** The same with another wait before a commit. */
    public JobOptions withGroupMillis(long millis) {
        return new JobOptions(holder, concurrency, contentBytes, embedMillis, retentionMillis, millis);
    }
}
