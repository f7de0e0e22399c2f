package io.recallgate.gateway.conversation.window;

import io.recallgate.gateway.conversation.transcript.Transcript;
import io.recallgate.recall.api.Injection;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.IntFunction;

/**
 * The blocks of earlier turns at the messages that had them: the same bytes at the same place, so that a provider's prompt cache
 * still matches. Immutable.
 */
public final class Ledger {

    /** No blocks. */
    public static final Ledger NONE = new Ledger(new TreeMap<>());

    private final SortedMap<Integer, Injection> placed;

    private Ledger(SortedMap<Integer, Injection> placed) {
        this.placed = placed;
    }

    /**
     * Finds the places.
     *
     * @param stored of the session, in the order in which they were sent; of two for one message the first counts, since its bytes
     *     are those that a provider may still have
     * @param places what the block of a message is kept under, empty for one that cannot be known
     */
    public static Ledger of(Collection<Injection> stored, Transcript transcript, IntFunction<Optional<String>> places) {
        Map<String, Injection> byPlace = new HashMap<>();
        stored.forEach(injection -> byPlace.putIfAbsent(injection.chain(), injection));
        SortedMap<Integer, Injection> placed = new TreeMap<>();
        for (int i = 0; i < transcript.size() && !byPlace.isEmpty(); i++) {
            if (transcript.entry(i).userTurn()) {
                Injection found = places.apply(i).map(byPlace::get).orElse(null);
                if (found != null) {
                    placed.put(i, found);
                }
            }
        }
        return new Ledger(placed);
    }

    /** Only those at messages that are sent. */
    public Ledger from(int firstKept) {
        return new Ledger(new TreeMap<>(placed.tailMap(firstKept)));
    }

    /** Whether no message has a block. */
    public boolean isEmpty() {
        return placed.isEmpty();
    }

    /** The blocks by message. */
    public SortedMap<Integer, String> blocks() {
        SortedMap<Integer, String> blocks = new TreeMap<>();
        placed.forEach((index, injection) -> blocks.put(index, injection.block()));
        return blocks;
    }

    /** Whether a message has its block already, as when a client sends its request again. */
    public boolean has(int index) {
        return placed.containsKey(index);
    }

    /** The memories in the block of a message, in its order; none when it has no block. */
    public List<UUID> memories(int index) {
        Injection injection = placed.get(index);
        return injection == null ? List.of() : injection.memories();
    }

    /** Memories that the model sees in them. */
    public Set<UUID> memories() {
        Set<UUID> ids = new HashSet<>();
        placed.values().forEach(injection -> ids.addAll(injection.memories()));
        return ids;
    }

    /**
     * Whether the model sees a pinned memory in them as it is now.
     *
     * @param hash of its content, which may have changed since it was sent
     */
    public boolean showsPinned(UUID id, String hash) {
        return placed.values().stream()
                .anyMatch(injection -> hash.equals(injection.pinned().get(id)));
    }
}
