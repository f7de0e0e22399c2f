package io.recallgate.recall.jobs;

import io.recallgate.recall.api.RecallSettings;
import io.vertx.core.Future;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What keeps the table in order beside the jobs themselves, in bounded steps. Confined to its runner's context. */
final class Upkeep {

    private static final Logger LOG = LoggerFactory.getLogger(Upkeep.class);

    /** Jobs are rescued in every round, and pruned in every so many. */
    private static final int PRUNE_EVERY = 15;

    private static final int BACKFILL_JOBS = 500;

    private final JobTable table;
    private final ActiveModel model;
    private final Supplier<RecallSettings> settings;
    private final FailedJobs failed;
    private int rounds;
    /** The model whose missing vectors have all got jobs. */
    private volatile @Nullable String backfilled;

    Upkeep(JobTable table, ActiveModel model, Supplier<RecallSettings> settings, FailedJobs failed) {
        this.table = table;
        this.model = model;
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
        return pruned.compose(ignored -> backfill()).map(jobs -> jobs > 0);
    }

    /** A bounded step for a model that is new to us; jobs behind all new writes. */
    private Future<Integer> backfill() {
        String fingerprint = model.fingerprint();
        if (fingerprint == null || fingerprint.equals(backfilled)) {
            return Future.succeededFuture(0);
        }
        return table.backfill(fingerprint, BACKFILL_JOBS).onSuccess(jobs -> {
            if (jobs < BACKFILL_JOBS) {
                backfilled = fingerprint;
            }
            if (jobs > 0) {
                LOG.info("{} memories without a vector of the active model got jobs", jobs);
            }
        });
    }
}
