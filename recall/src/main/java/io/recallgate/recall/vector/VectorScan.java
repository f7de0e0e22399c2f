package io.recallgate.recall.vector;

import io.recallgate.embedding.api.EmbeddingVector;
import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import io.recallgate.recall.rank.IdOrder;
import io.recallgate.recall.read.ReadWorkers;
import io.recallgate.recall.vector.VectorIndex.VectorHit;
import io.recallgate.time.Deadline;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Compares a query with every vector. Pure but for the deadline it looks at; runs on a read worker. */
final class VectorScan {

    /** How many memories between two looks at the deadline: below a millisecond's work. */
    private static final int STRIDE = 1_024;

    private static final Comparator<VectorHit> BEST_FIRST = Comparator.comparingDouble(VectorHit::similarity)
            .reversed()
            .thenComparing(VectorHit::memoryId, IdOrder.BYTES);

    /** A memory's vectors, one for each passage. Never changed once made. */
    @SuppressWarnings("ArrayRecordComponent") // private to the package, never handed out and never changed
    record Entry(UUID memoryId, float[][] passages) {
        /** Bytes it is charged with: the floats, and headers and references of the rest. */
        long chargedBytes() {
            long bytes = 96;
            for (float[] passage : passages) {
                bytes += 24 + 4L * passage.length;
            }
            return bytes;
        }
    }

    private VectorScan() {}

    /**
     * The nearest.
     *
     * @param allowed null for all
     * @throws FailureException {@code invalid-field} about {@code vector} when dimensions differ, {@code
     *     deadline-exceeded}
     */
    static List<VectorHit> nearest(
            Collection<Entry> entries,
            EmbeddingVector query,
            @Nullable Set<UUID> allowed,
            int limit,
            Deadline deadline) {
        float[] wanted = query.toArray();
        PriorityQueue<VectorHit> worstFirst = new PriorityQueue<>(limit + 1, BEST_FIRST.reversed());
        int seen = 0;
        for (Entry entry : entries) {
            if (++seen % STRIDE == 0) {
                ReadWorkers.checkDeadline(deadline);
            }
            if (allowed != null && !allowed.contains(entry.memoryId)) {
                continue;
            }
            VectorHit hit = new VectorHit(entry.memoryId, best(entry, wanted));
            if (worstFirst.size() < limit) {
                worstFirst.add(hit);
            } else if (BEST_FIRST.compare(hit, worstFirst.element()) < 0) {
                worstFirst.remove();
                worstFirst.add(hit);
            }
        }
        List<VectorHit> hits = new ArrayList<>(worstFirst);
        hits.sort(BEST_FIRST);
        return hits;
    }

    private static float best(Entry entry, float[] wanted) {
        float best = Float.NEGATIVE_INFINITY;
        for (float[] passage : entry.passages) {
            if (passage.length != wanted.length) {
                throw dimensionMismatch(wanted.length);
            }
            best = Math.max(best, dot(passage, wanted));
        }
        return best;
    }

    static FailureException dimensionMismatch(int asked) {
        return FailureException.ofField(
                FailureCode.INVALID_FIELD,
                "vector",
                "the query's vector has " + asked + " dimensions, the stored ones have another number");
    }

    /** Four sums, since one would make each addition wait for the one before. */
    private static float dot(float[] a, float[] b) {
        float s0 = 0;
        float s1 = 0;
        float s2 = 0;
        float s3 = 0;
        int i = 0;
        for (; i + 3 < a.length; i += 4) {
            s0 += a[i] * b[i];
            s1 += a[i + 1] * b[i + 1];
            s2 += a[i + 2] * b[i + 2];
            s3 += a[i + 3] * b[i + 3];
        }
        for (; i < a.length; i++) {
            s0 += a[i] * b[i];
        }
        return (s0 + s1) + (s2 + s3);
    }
}
