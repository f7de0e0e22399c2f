package io.recallgate.recall.api;

import io.vertx.core.json.JsonObject;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A memory as its writer gives it. Valid by construction of whoever decoded it: text without NUL and lone surrogates,
 * {@code content} not blank and at most 1 MiB of UTF-8.
 *
 * @param content what to remember
 * @param kind what it is
 * @param role {@code user}, {@code assistant}, … up to 100 characters
 * @param author who said it: a name, up to 200 characters
 * @param session the conversation it belongs to, up to 200 characters
 * @param occurredAt when it happened; orders a session
 * @param pinned whether it always counts as worth recalling
 * @param externalId the writer's own id, unique per owner and project, up to 200 characters
 * @param metadata anything else, at most 64 KiB as JSON; never searched
 * @param supersedes ids or external ids of memories of the same owner and project that this one stands in for; at most
 *     {@link #MAX_SUPERSEDES}
 */
public record MemoryDraft(
        String content,
        MemoryKind kind,
        @Nullable String role,
        @Nullable String author,
        @Nullable String session,
        @Nullable Instant occurredAt,
        boolean pinned,
        @Nullable String externalId,
        JsonObject metadata,
        List<String> supersedes) {

    /** The most memories that one supersedes. */
    public static final int MAX_SUPERSEDES = 100;

    /** Copies. */
    public MemoryDraft {
        supersedes = List.copyOf(supersedes);
    }

    /** One that supersedes nothing. */
    public MemoryDraft(
            String content,
            MemoryKind kind,
            @Nullable String role,
            @Nullable String author,
            @Nullable String session,
            @Nullable Instant occurredAt,
            boolean pinned,
            @Nullable String externalId,
            JsonObject metadata) {
        this(content, kind, role, author, session, occurredAt, pinned, externalId, metadata, List.of());
    }
}
