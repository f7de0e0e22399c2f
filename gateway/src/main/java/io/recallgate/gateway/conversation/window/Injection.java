package io.recallgate.gateway.conversation.window;

import java.util.List;
import java.util.Set;

/**
 * A block that was sent with a message, as it is stored.
 *
 * @param chain of the message that has it
 * @param block its text, byte for byte
 * @param memoryIds of all memories in it, in its order
 * @param pinned those of them that are pinned
 */
public record Injection(String chain, String block, List<String> memoryIds, Set<Pinned> pinned) {

    /** Copies the collections. */
    public Injection {
        memoryIds = List.copyOf(memoryIds);
        pinned = Set.copyOf(pinned);
    }

    /**
     * A pinned memory as it was then.
     *
     * @param id of the memory
     * @param hash of its content
     */
    public record Pinned(String id, String hash) {}
}
