package io.recallgate.recall.api;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A turn whose answer was accepted and relayed whole.
 *
 * @param session 1 to 200 characters
 * @param drafts what to remember of it, each with an external id that follows from its place in the conversation, so that
 *     the same turn is stored once; may be empty
 * @param checkpoint how far the conversation is now, null when it was not sent in the way in which it goes on
 * @param injection what was put into its newest message, null if nothing was
 */
public record AcceptedTurn(
        String session,
        List<MemoryDraft> drafts,
        @Nullable Checkpoint checkpoint,
        @Nullable Injection injection) {

    /** Copies the drafts. */
    public AcceptedTurn {
        drafts = List.copyOf(drafts);
    }
}
