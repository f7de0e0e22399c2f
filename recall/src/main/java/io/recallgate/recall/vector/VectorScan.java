package io.recallgate.recall.vector;

import io.recallgate.embedding.api.EmbeddingVector;
import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import io.recallgate.recall.read.ReadWorkers;
import io.recallgate.recall.read.ReadWorkers.Ask;
import io.recallgate.recall.vector.VectorBlocks.View;
import io.recallgate.recall.vector.VectorIndex.VectorHit;
import io.recallgate.time.Deadline;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Compares a query with every vector, block by block, on a read worker and on those that have nothing else to do. Whoever
 * is done with a block takes the next one, so nobody waits for a thread that came late or did not come.
 */
final class VectorScan {

    /** From here on, some milliseconds of one thread, it is worth waking another. */
    private static final int SHARED_BLOCKS = 32;

    private final List<View> blocks;
    private final float[] query;
    private final Filter filter;
    private final Deadline deadline;

    private final AtomicInteger next = new AtomicInteger();
    private final Promise<List<VectorHit>> answer = Promise.promise();
    /** Guarded by itself, as is the number of blocks whose vectors were offered to it. */
    private final Nearest nearest;

    private int done;

    private VectorScan(List<View> blocks, EmbeddingVector query, Filter filter, int limit, Deadline deadline) {
        this.blocks = blocks;
        this.query = query.toArray();
        this.filter = filter;
        this.nearest = new Nearest(limit);
        this.deadline = deadline;
    }

    /**
     * Which memories may be found.
     *
     * @param allowed only these; null for all
     * @param excluded none of these
     */
    record Filter(@Nullable Set<UUID> allowed, Set<UUID> excluded) {
        boolean admits(UUID id) {
            return (allowed == null || allowed.contains(id)) && !excluded.contains(id);
        }
    }

    /**
     * The nearest. Every vector's sum is made in the same order, so that equal vectors tie wherever they are.
     *
     * @param ask how each of its runs is to be run
     * @param filter what may be found
     * @return fails with {@code invalid-field} about {@code vector} when dimensions differ, or as {@link ReadWorkers#run}
     *     says
     */
    static Future<List<VectorHit>> nearest(
            ReadWorkers workers, Ask ask, List<View> blocks, EmbeddingVector query, Filter filter, int limit) {
        if (blocks.isEmpty()) {
            return Future.succeededFuture(List.of());
        }
        VectorScan scan = new VectorScan(blocks, query, filter, limit, ask.deadline());
        // The threads answer on the caller's context.
        workers.run(ask, scan::work).onSuccess(scan::answer).onFailure(scan.answer::tryFail);
        if (blocks.size() >= SHARED_BLOCKS) {
            for (Future<Boolean> help : workers.runOnIdle(ask, scan::work)) {
                help.onSuccess(scan::answer).onFailure(scan::helpFailed);
            }
        }
        return scan.answer.future();
    }

    /** Help that was refused has taken no block; any other may have taken one that nobody does now. */
    private void helpFailed(Throwable why) {
        if (!(why instanceof FailureException failure && failure.code() == FailureCode.OVERLOADED)) {
            answer.tryFail(why);
        }
    }

    private void answer(boolean complete) {
        if (complete) {
            answer.tryComplete(nearest.bestFirst());
        }
    }

    /** Takes blocks until there is none left; returns whether all of them are done. */
    private boolean work() {
        Nearest mine = new Nearest(nearest.limit());
        float[] sums = new float[VectorBlocks.MAX_LANES];
        int taken = 0;
        for (int at = next.getAndIncrement(); at < blocks.size(); at = next.getAndIncrement()) {
            ReadWorkers.checkDeadline(deadline);
            offer(blocks.get(at), sums, mine);
            taken++;
        }
        synchronized (nearest) {
            nearest.offerAll(mine);
            done += taken;
            return done == blocks.size();
        }
    }

    private void offer(View block, float[] sums, Nearest mine) {
        if (block.dimensions() != query.length) {
            throw dimensionMismatch(query.length);
        }
        if (filter.allowed != null && !hasAny(block, filter.allowed)) {
            return;
        }
        sum(block, query, sums);
        for (int lane = 0; lane < block.rows(); lane++) {
            if (sums[lane] >= mine.bar() && !block.isGone(lane)) {
                UUID id = block.ids()[lane];
                if (filter.admits(id)) {
                    mine.offer(new VectorHit(id, sums[lane]));
                }
            }
        }
    }

    private static boolean hasAny(View block, Set<UUID> ids) {
        for (int lane = 0; lane < block.rows(); lane++) {
            if (ids.contains(block.ids()[lane])) {
                return true;
            }
        }
        return false;
    }

    static FailureException dimensionMismatch(int asked) {
        return FailureException.ofField(
                FailureCode.INVALID_FIELD,
                "vector",
                "the query's vector has " + asked + " dimensions, the stored ones have another number");
    }

    /** Four dimensions at a time: each sum is read and written once for all of them. */
    private static void sum(View block, float[] query, float[] sums) {
        Arrays.fill(sums, 0);
        float[][] columns = block.columns();
        int i = 0;
        for (; i + 3 < query.length; i += 4) {
            addFour(columns[i], columns[i + 1], columns[i + 2], columns[i + 3], query, i, sums);
        }
        for (; i < query.length; i++) {
            addOne(columns[i], query[i], sums);
        }
    }

    /** All arrays are read at one index: then the JVM makes one instruction of several sums, which it does not of an offset. */
    private static void addFour(float[] a, float[] b, float[] c, float[] d, float[] query, int at, float[] sums) {
        float qa = query[at];
        float qb = query[at + 1];
        float qc = query[at + 2];
        float qd = query[at + 3];
        for (int lane = 0; lane < a.length; lane++) {
            sums[lane] += qa * a[lane] + qb * b[lane] + qc * c[lane] + qd * d[lane];
        }
    }

    private static void addOne(float[] a, float factor, float[] sums) {
        for (int lane = 0; lane < a.length; lane++) {
            sums[lane] += factor * a[lane];
        }
    }
}
