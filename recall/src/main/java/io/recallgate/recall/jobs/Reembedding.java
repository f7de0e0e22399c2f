package io.recallgate.recall.jobs;

import io.vertx.core.Future;
import java.util.UUID;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings every memory to the active model: passes over all memories, a page at a time, that open jobs for those without
 * a vector of it; and once a pass finds none without, one that removes vectors of other models. A pass goes on whenever
 * the jobs it opened are nearly done, so that it is as fast as the embedder and the table of jobs stays small.
 *
 * <p>What another node that still serves another model commits meanwhile would be missed by a single pass; so there is a
 * pass again every few minutes, and vectors of another model stay for as long as there are young ones among them.
 *
 * <p>Steps do not overlap. Thread-safe: the futures of a step complete where the database answers.
 */
final class Reembedding {

    private static final Logger LOG = LoggerFactory.getLogger(Reembedding.class);

    /** Memories of a page, and so the jobs that it may open: a few milliseconds of the database's time. */
    static final int PAGE = 500;

    /** Pages of one step, if none of them has anything to do: 25,000 memories in about a second. */
    private static final int PAGES = 50;

    /** A page that opens fewer jobs is followed by the next: the runner takes some at a time. */
    private static final int ENOUGH_JOBS = 200;

    /** Rounds of upkeep between a pass that found nothing to do and the next: five minutes with the default lease. */
    private static final int ROUNDS_AT_REST = 15;

    /** Rounds of upkeep between passes while jobs are open: one minute with the default lease. */
    private static final int ROUNDS_WITH_PENDING = 3;

    private static final UUID START = new UUID(0, 0);

    private final VectorTable table;
    private final ActiveModel model;
    private final LongSupplier keepMillis;

    private Phase phase = Phase.RESTING;
    private @Nullable String fingerprint;
    private UUID after = START;
    private int roundsToRest;
    private boolean stepping;
    private Pass pass = Pass.NOTHING;

    private enum Phase {
        /** Between two passes. */
        RESTING,
        /** Opening jobs. */
        BACKFILLING,
        /** Removing vectors of other models. */
        REMOVING
    }

    /** What the pass has seen so far; the age is of the youngest vector of another model, negative if there is none. */
    private record Pass(long opened, long pending, long removed, long youngestOther) {
        static final Pass NOTHING = new Pass(0, 0, 0, -1);

        Pass plus(VectorTable.Page page) {
            Long age = page.youngestOtherMillis();
            long youngest = age == null
                    ? youngestOther
                    : youngestOther < 0 ? Math.max(0, age) : Math.min(youngestOther, Math.max(0, age));
            return new Pass(opened + page.opened(), pending + page.pending(), removed, youngest);
        }

        Pass plus(VectorTable.Removals page) {
            return new Pass(opened, pending, removed + page.removed(), youngestOther);
        }
    }

    /** @param keepMillis how old the youngest vector of other models is before they are removed, read on each use */
    Reembedding(VectorTable table, ActiveModel model, LongSupplier keepMillis) {
        this.table = table;
        this.model = model;
        this.keepMillis = keepMillis;
    }

    /** With the settings of a runner. */
    static Reembedding of(JobRunner.Stores stores, ActiveModel model, JobRunner.Parts parts) {
        return new Reembedding(
                new VectorTable(stores.database(), stores.vectors(), parts.clock(), parts.time()),
                model,
                () -> parts.settings().get().otherModelsKeepMillis());
    }

    /**
     * A round of upkeep is due: goes on with a pass, or begins one if it is time.
     *
     * @return jobs that were opened
     */
    Future<Integer> round() {
        synchronized (this) {
            if (phase == Phase.RESTING && roundsToRest > 0) {
                roundsToRest--;
            }
        }
        return step(true);
    }

    /**
     * A claim found fewer jobs than it had room for: goes on with a pass that waits for this, or begins one for a model
     * that is new. Costs nothing otherwise.
     *
     * @return jobs that were opened
     */
    Future<Integer> drained() {
        return step(false);
    }

    private Future<Integer> step(boolean round) {
        String active = model.fingerprint();
        synchronized (this) {
            if (active == null || stepping) {
                return Future.succeededFuture(0);
            }
            if (!active.equals(fingerprint)) {
                fingerprint = active;
                begin(Phase.BACKFILLING);
            } else if (phase == Phase.RESTING) {
                if (!round || roundsToRest > 0) {
                    return Future.succeededFuture(0);
                }
                begin(Phase.BACKFILLING);
            }
            stepping = true;
        }
        return pages(active, PAGES, 0).onComplete(done -> {
            synchronized (this) {
                stepping = false;
            }
        });
    }

    private Future<Integer> pages(String active, int left, int opened) {
        Phase now;
        UUID from;
        synchronized (this) {
            now = phase;
            from = after;
        }
        boolean over = now == Phase.RESTING || !active.equals(model.fingerprint());
        if (over || left == 0 || opened >= ENOUGH_JOBS) {
            return Future.succeededFuture(opened);
        }
        if (now == Phase.REMOVING) {
            return table.removeOthers(active, from, PAGE, keepMillis.getAsLong())
                    .onSuccess(this::removed)
                    .compose(page -> pages(active, left - 1, opened));
        }
        return table.backfill(active, from, PAGE)
                .onSuccess(this::backfilled)
                .compose(page -> pages(active, left - 1, opened + page.opened()));
    }

    private synchronized void backfilled(VectorTable.Page page) {
        pass = pass.plus(page);
        after = page.last();
        if (page.memories() == PAGE) {
            return;
        }
        if (pass.opened > 0) {
            LOG.info("{} memories without a vector of the active model got jobs", pass.opened);
        }
        boolean others = pass.youngestOther >= 0;
        if (pass.opened + pass.pending > 0) {
            rest(others || pass.opened > 0 ? ROUNDS_WITH_PENDING : ROUNDS_AT_REST);
        } else if (others && pass.youngestOther >= keepMillis.getAsLong()) {
            begin(Phase.REMOVING);
        } else {
            rest(ROUNDS_AT_REST);
        }
    }

    private synchronized void removed(VectorTable.Removals page) {
        pass = pass.plus(page);
        after = page.last();
        if (page.memories() < PAGE) {
            if (pass.removed > 0) {
                LOG.info("{} vectors of other models were removed", pass.removed);
            }
            rest(ROUNDS_AT_REST);
        }
    }

    private void begin(Phase next) {
        phase = next;
        after = START;
        pass = Pass.NOTHING;
    }

    private void rest(int rounds) {
        phase = Phase.RESTING;
        roundsToRest = rounds;
    }
}
