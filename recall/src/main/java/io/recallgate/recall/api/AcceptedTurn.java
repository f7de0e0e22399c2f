package io.recallgate.recall.api;

import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A turn whose answer was accepted and relayed whole.
 *
 * @param session 1 to 200 characters
 * @param drafts what to remember of it, each with an external id that follows from its place in the conversation, so that
 *     the same turn is stored once; may be empty
 * @param checkpoint how far the conversation is now, null when it was not sent in the way in which it goes on
 * @param injection what was put into its newest message, null if nothing was
 * @param shown the memories in the injection, each with the version that it shows: an injection is kept only if all of them
 *     are still as it has them
 * @param recall whose hits are in the injection; null if nothing was recalled for it
 */
public record AcceptedTurn(
        String session,
        List<MemoryDraft> drafts,
        @Nullable Checkpoint checkpoint,
        @Nullable Injection injection,
        Map<UUID, Long> shown,
        @Nullable UUID recall) {

    /** Copies. */
    public AcceptedTurn {
        drafts = List.copyOf(drafts);
        shown = Map.copyOf(shown);
    }
}
