package io.recallgate.recall.jobs;

import io.recallgate.recall.api.RecallSettings;
import io.vertx.core.Future;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What keeps the table in order beside the jobs themselves, in bounded steps. Confined to its runner's context. */
final class Upkeep {

    private static final Logger LOG = LoggerFactory.getLogger(Upkeep.class);

    /** Jobs are rescued in every round, and pruned in every so many. */
    private static final int PRUNE_EVERY = 15;

    private final JobTable table;
    private final Reembedding reembedding;
    private final Supplier<RecallSettings> settings;
    private final FailedJobs failed;
    private int rounds;

    Upkeep(JobTable table, Reembedding reembedding, Supplier<RecallSettings> settings, FailedJobs failed) {
        this.table = table;
        this.reembedding = reembedding;
        this.settings = settings;
        this.failed = failed;
    }

    /**
     * One round; rounds do not overlap.
     *
     * @return whether there may be new jobs
     */
    Future<Boolean> round() {
        RecallSettings now = settings.get();
        Future<Integer> rescued = table.rescue(
                        now.jobMaxAttempts(), now.jobBackoffBaseMillis(), now.jobBackoffMaxMillis(), failed)
                .onSuccess(jobs -> {
                    if (jobs > 0) {
                        LOG.info("{} jobs were taken from runners that are gone", jobs);
                    }
                });
        Future<Integer> pruned = rounds++ % PRUNE_EVERY == 0 ? rescued.compose(ignored -> table.prune()) : rescued;
        return pruned.compose(ignored -> reembedding.round()).map(jobs -> jobs > 0);
    }

    /** There are fewer jobs than there is room for; calls {@code more}, on any thread, if there are new ones. */
    void drained(Runnable more) {
        reembedding
                .drained()
                .onSuccess(jobs -> {
                    if (jobs > 0) {
                        more.run();
                    }
                })
                // The next round meets the same trouble, and tells it once.
                .onFailure(error -> LOG.debug("re-embedding waits for the next round", error));
    }
}
