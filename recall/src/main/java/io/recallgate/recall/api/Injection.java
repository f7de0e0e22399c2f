package io.recallgate.recall.api;

import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * What was put into a message of a conversation.
 *
 * @param chain what it is kept under: hex SHA-256 over the messages up to this one, or over them and what else tells the
 *     conversation
 * @param block the text, byte for byte; not empty
 * @param memories whose text is in it
 * @param pinned ids of the pinned ones among them, each with the hash of its content
 */
public record Injection(String chain, String block, List<UUID> memories, Map<UUID, String> pinned) {

    /** Copies. */
    public Injection {
        memories = List.copyOf(memories);
        pinned = Map.copyOf(pinned);
    }
}
