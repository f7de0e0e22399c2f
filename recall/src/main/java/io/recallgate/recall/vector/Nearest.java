package io.recallgate.recall.vector;

import io.recallgate.recall.rank.IdOrder;
import io.recallgate.recall.vector.VectorIndex.VectorHit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.UUID;

/** The best memories of those offered, each with its best passage; ties by id. Used by one thread at a time. */
final class Nearest {

    private static final Comparator<VectorHit> BEST_FIRST = Comparator.comparingDouble(VectorHit::similarity)
            .reversed()
            .thenComparing(VectorHit::memoryId, IdOrder.BYTES);

    private final int limit;
    private final PriorityQueue<VectorHit> worstFirst;
    private final Map<UUID, VectorHit> byMemory = new HashMap<>();

    /** @param limit how many to keep, at least 1 */
    Nearest(int limit) {
        this.limit = limit;
        this.worstFirst = new PriorityQueue<>(limit + 1, BEST_FIRST.reversed());
    }

    int limit() {
        return limit;
    }

    /** Below this nothing offered is kept. */
    float bar() {
        return worstFirst.size() < limit
                ? Float.NEGATIVE_INFINITY
                : (float) worstFirst.element().similarity();
    }

    /** Keeps it if it is among the best so far. */
    void offer(VectorHit hit) {
        VectorHit known = byMemory.get(hit.memoryId());
        if (known != null) {
            if (known.similarity() >= hit.similarity()) {
                return;
            }
            worstFirst.remove(known);
        } else if (worstFirst.size() == limit) {
            if (BEST_FIRST.compare(hit, worstFirst.element()) > 0) {
                return;
            }
            // Its memory may come back with a better passage, as if it had not been here.
            byMemory.remove(worstFirst.remove().memoryId());
        }
        worstFirst.add(hit);
        byMemory.put(hit.memoryId(), hit);
    }

    /** Offers all that another kept. */
    void offerAll(Nearest other) {
        other.worstFirst.forEach(this::offer);
    }

    /** The best first. */
    List<VectorHit> bestFirst() {
        List<VectorHit> hits = new ArrayList<>(worstFirst);
        hits.sort(BEST_FIRST);
        return hits;
    }
}
