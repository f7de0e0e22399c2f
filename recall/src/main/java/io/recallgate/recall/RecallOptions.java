package io.recallgate.recall;

import io.recallgate.recall.database.DatabaseOptions;
import io.recallgate.recall.jobs.JobOptions;
import io.recallgate.recall.lexical.LuceneAnalysis;

/**
 * What does not change while recall runs.
 *
 * @param database where it is
 * @param jobs how embedding jobs are run
 * @param readThreads that compare vectors in process, 1 to 64
 * @param readQueue reads that may wait or run there; the next is refused
 * @param drainMillis how long a stop lets running jobs finish
 * @param language whose stems and stop words memories and questions have: {@code auto} to tell it for each text, or a
 *     code that {@link io.recallgate.recall.lexical.Language} has
 */
public record RecallOptions(
        DatabaseOptions database, JobOptions jobs, int readThreads, int readQueue, long drainMillis, String language) {

    /**
     * The documented defaults.
     *
     * @param holder names this process in leases; unique among all that share the database
     */
    public static RecallOptions defaults(DatabaseOptions database, String holder) {
        return new RecallOptions(database, JobOptions.defaults(holder), 2, 128, 10_000, LuceneAnalysis.AUTO);
    }
}
