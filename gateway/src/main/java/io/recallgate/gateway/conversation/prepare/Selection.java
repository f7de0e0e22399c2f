package io.recallgate.gateway.conversation.prepare;

import io.recallgate.gateway.conversation.assemble.MemoryFrame;
import io.recallgate.gateway.conversation.remember.TurnIds;
import io.recallgate.gateway.conversation.transcript.Transcript;
import io.recallgate.gateway.conversation.window.Ledger;
import io.recallgate.recall.api.Injection;
import io.recallgate.recall.api.Memory;
import io.recallgate.recall.api.RecallHit;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Chooses what a turn is given of what was found. Pure; on the request's event loop. */
final class Selection {

    /**
     * A hit with less of the best one's score is there only because there had to be a tenth one: fused scores fall to a
     * third within the hits that both legs found.
     */
    private static final double LEAST_SHARE = 1.0 / 3;

    private final Transcript transcript;
    private final Ledger visible;
    private final int firstKept;
    private final TurnIds ids;
    private final String session;
    /** Messages that are sent, by their chains. */
    private final Map<String, Integer> kept = new HashMap<>();

    /**
     * For one turn.
     *
     * @param visible blocks that are sent again
     * @param firstKept the first message that is probably sent: what it and those after it say is not recalled again
     */
    Selection(Transcript transcript, Ledger visible, int firstKept, String session) {
        this.transcript = transcript;
        this.visible = visible;
        this.firstKept = firstKept;
        this.session = session;
        this.ids = new TurnIds(session);
    }

    /**
     * What a turn is given.
     *
     * @param block as it is sent, perhaps empty
     * @param pinned ids of the pinned memories in it, with the hashes of their contents
     * @param versions of all memories in it
     */
    record Chosen(MemoryFrame.Block block, Map<UUID, String> pinned, Map<UUID, Long> versions) {

        /** Nothing. */
        static final Chosen NONE = new Chosen(new MemoryFrame.Block("", List.of(), 0), Map.of(), Map.of());

        /** As it is kept for the next turns; not for nothing. */
        Injection injection(String place) {
            return new Injection(
                    place,
                    block.text(),
                    block.ids().stream().map(UUID::fromString).toList(),
                    pinned);
        }
    }

    /**
     * Chooses.
     *
     * @param pinned memories of the scope
     * @param hits best first
     */
    Chosen choose(List<Memory> pinned, List<RecallHit> hits, PreparationOptions options) {
        List<Memory> fixed =
                pinned.stream().filter(this::isNews).limit(options.pinned()).toList();
        Set<UUID> taken = new HashSet<>();
        pinned.forEach(memory -> taken.add(memory.id()));
        Set<UUID> seen = visible.memories();
        double least = hits.isEmpty() ? 0 : hits.get(0).score() * LEAST_SHARE;
        List<Memory> recalled = hits.stream()
                .filter(hit -> hit.score() >= least)
                .map(RecallHit::memory)
                .filter(memory -> !taken.contains(memory.id()) && !seen.contains(memory.id()) && !isInWindow(memory))
                .limit(options.recalled())
                .toList();
        MemoryFrame.Block block = MemoryFrame.of(items(fixed), items(recalled), options.memoryChars());
        Map<UUID, String> hashes = new HashMap<>();
        Set<String> inBlock = new HashSet<>(block.ids());
        for (Memory memory : fixed) {
            if (inBlock.contains(memory.id().toString())) {
                hashes.put(memory.id(), memory.contentHash());
            }
        }
        return new Chosen(
                block,
                hashes,
                Stream.concat(fixed.stream(), recalled.stream())
                        .filter(memory -> inBlock.contains(memory.id().toString()))
                        .collect(Collectors.toMap(Memory::id, Memory::version)));
    }

    /** A pinned memory is given once, and again when it has changed. */
    private boolean isNews(Memory memory) {
        return !visible.showsPinned(memory.id(), memory.contentHash());
    }

    /** Whether the model reads it anyway, in the conversation itself. */
    private boolean isInWindow(Memory memory) {
        String externalId = memory.draft().externalId();
        if (externalId == null || !session.equals(memory.draft().session())) {
            return false;
        }
        return ids.place(externalId).map(this::isKept).orElse(false);
    }

    /** Made only when a memory of this very session was found: it is thousands of digests in hexadecimal digits. */
    private boolean isKept(TurnIds.Place place) {
        if (kept.isEmpty()) {
            if (firstKept == 0) {
                kept.put("", -1);
            }
            for (int i = firstKept; i < transcript.size(); i++) {
                kept.put(transcript.chain(i), i);
            }
        }
        Integer at = kept.get(place.chain());
        // Of several answers at one place only one is in this conversation.
        return at != null
                && (place.answer().isEmpty() || (at + 1 < transcript.size() && place.mayBe(transcript.text(at + 1))));
    }

    private static List<MemoryFrame.Item> items(List<Memory> memories) {
        return memories.stream()
                .map(memory -> new MemoryFrame.Item(
                        memory.id().toString(),
                        memory.draft().occurredAt(),
                        memory.draft().author() == null
                                ? memory.draft().role()
                                : memory.draft().author(),
                        memory.draft().content()))
                .toList();
    }
}
