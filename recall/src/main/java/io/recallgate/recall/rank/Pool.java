package io.recallgate.recall.rank;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * The memories that may be hits: what the words found, what the meaning found, at most a hundred each. Used by one
 * thread at a time.
 */
public final class Pool {

    private final Map<UUID, Evidence> evidence = new LinkedHashMap<>();

    /**
     * Puts both together.
     *
     * @param words best first
     * @param meaning nearest first
     */
    public Pool(List<Evidence> words, List<Scored> meaning) {
        words.forEach(one -> evidence.put(one.id(), one));
        int rank = 0;
        for (Scored near : meaning) {
            rank++;
            Evidence known = evidence.get(near.id());
            evidence.put(
                    near.id(),
                    known == null ? Evidence.ofMeaning(near.id(), near.score(), rank) : known.near(near.score(), rank));
        }
    }

    /** Notes who is by somebody whom the question names; ids that are not in the pool are ignored. */
    public void authored(Collection<UUID> ids) {
        ids.forEach(id -> evidence.computeIfPresent(id, (ignored, one) -> one.named()));
    }

    /** Notes who is pinned; ids that are not in the pool are ignored. */
    public void pinned(Collection<UUID> ids) {
        ids.forEach(id -> evidence.computeIfPresent(id, (ignored, one) -> one.asPinned()));
    }

    /** Those whose distance is not known yet. */
    public List<UUID> unmeasured() {
        List<UUID> unmeasured = new ArrayList<>();
        for (Evidence one : evidence.values()) {
            if (one.similarity() == null) {
                unmeasured.add(one.id());
            }
        }
        return unmeasured;
    }

    /** Notes how near they are; those without a vector stay without. */
    public Pool measured(Map<UUID, Double> similarities) {
        similarities.forEach(
                (id, cosine) -> evidence.computeIfPresent(id, (ignored, one) -> one.near(cosine, one.vectorRank())));
        return this;
    }

    /** All of it. */
    public List<Evidence> evidence() {
        return List.copyOf(evidence.values());
    }
}
