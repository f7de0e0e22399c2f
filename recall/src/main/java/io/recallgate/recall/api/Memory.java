package io.recallgate.recall.api;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A stored memory.
 *
 * @param id assigned when first stored
 * @param draft what its writer gave
 * @param state how far its embedding is
 * @param passages how many passages its content is embedded in with the active model; zero until all of them are
 * @param incomplete whether it is embedded, but for text that no passage holds whole and that is found by its words only
 * @param contentHash hex SHA-256 of the content
 * @param version 1 when new, one more with each change; orders concurrent writers
 * @param createdAt when it was first stored
 * @param updatedAt when it last changed
 * @param supersededBy memories that stand in for it, in the order of their ids; recall leaves it out while there are any
 * @param access how often it was recalled, a moment late; null if never
 */
public record Memory(
        UUID id,
        MemoryDraft draft,
        MemoryState state,
        int passages,
        boolean incomplete,
        String contentHash,
        long version,
        Instant createdAt,
        Instant updatedAt,
        List<UUID> supersededBy,
        @Nullable MemoryAccess access) {

    /** Copies. */
    public Memory {
        supersededBy = List.copyOf(supersededBy);
    }

    /** One that nothing supersedes and nobody recalled. */
    public Memory(
            UUID id,
            MemoryDraft draft,
            MemoryState state,
            int passages,
            boolean incomplete,
            String contentHash,
            long version,
            Instant createdAt,
            Instant updatedAt) {
        this(id, draft, state, passages, incomplete, contentHash, version, createdAt, updatedAt, List.of(), null);
    }

    /** As {@code GET /v1/memories/{id}} answers it. */
    public JsonObject toJson() {
        return new JsonObject()
                .put("id", id.toString())
                .put("content", draft.content())
                .put("kind", draft.kind().wireName())
                .put("role", draft.role())
                .put("author", draft.author())
                .put("session", draft.session())
                .put("occurred_at", text(draft.occurredAt()))
                .put("pinned", draft.pinned())
                .put("external_id", draft.externalId())
                .put("metadata", draft.metadata())
                .put("state", state.wireName())
                .put("passages", passages)
                .put("incomplete", incomplete)
                .put("content_hash", contentHash)
                .put("version", version)
                .put("created_at", createdAt.toString())
                .put("updated_at", updatedAt.toString())
                .put("supersedes", new JsonArray(draft.supersedes()))
                .put(
                        "superseded_by",
                        new JsonArray(supersededBy.stream().map(UUID::toString).toList()))
                .put("access_count", access == null ? 0 : access.count())
                .put("last_accessed_at", access == null ? null : text(access.lastAt()));
    }

    private static @Nullable String text(@Nullable Instant instant) {
        return instant == null ? null : instant.toString();
    }
}
