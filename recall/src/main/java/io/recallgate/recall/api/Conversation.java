package io.recallgate.recall.api;

import java.util.List;

/**
 * What is known of a conversation, besides its memories.
 *
 * @param checkpoints newest first
 * @param injections of the messages that were asked for, in no order
 */
public record Conversation(List<Checkpoint> checkpoints, List<Injection> injections) {

    /** One of which nothing is known. */
    public static final Conversation UNKNOWN = new Conversation(List.of(), List.of());

    /** Copies. */
    public Conversation {
        checkpoints = List.copyOf(checkpoints);
        injections = List.copyOf(injections);
    }
}
