package io.recallgate.recall.api;

/**
 * Settings of recall that can change while it runs. Components hold a {@code Supplier} of it and read it on each call.
 *
 * @param embeddingTimeoutMillis bound on a query's embedding, 1 to 600,000
 * @param jobLeaseMillis how long a claimed job is held without renewal
 * @param jobMaxAttempts after how many failed attempts a job is failed for good
 * @param jobBackoffBaseMillis wait after the first failed attempt; doubles
 * @param jobBackoffMaxMillis the longest wait between attempts
 * @param jobPollMillis how often to look for jobs when nothing is notified
 * @param otherModelsKeepMillis how old the youngest vector of other models is before they are removed, once every
 *     memory has one of the active model
 * @param exactIndexCacheBytes bound of the in-process vector cache
 * @param ranking how hits are ordered
 */
public record RecallSettings(
        long embeddingTimeoutMillis,
        long jobLeaseMillis,
        int jobMaxAttempts,
        long jobBackoffBaseMillis,
        long jobBackoffMaxMillis,
        long jobPollMillis,
        long otherModelsKeepMillis,
        long exactIndexCacheBytes,
        RankingSettings ranking) {

    /** The documented defaults (conf/recallgate.yaml). */
    public static final RecallSettings DEFAULTS =
            new RecallSettings(2_500, 60_000, 5, 1_000, 300_000, 1_000, 3_600_000, 128L << 20);

    /** With the usual ranking. */
    public RecallSettings(
            long embeddingTimeoutMillis,
            long jobLeaseMillis,
            int jobMaxAttempts,
            long jobBackoffBaseMillis,
            long jobBackoffMaxMillis,
            long jobPollMillis,
            long otherModelsKeepMillis,
            long exactIndexCacheBytes) {
        this(
                embeddingTimeoutMillis,
                jobLeaseMillis,
                jobMaxAttempts,
                jobBackoffBaseMillis,
                jobBackoffMaxMillis,
                jobPollMillis,
                otherModelsKeepMillis,
                exactIndexCacheBytes,
                RankingSettings.DEFAULTS);
    }
}
