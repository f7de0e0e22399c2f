package io.recallgate.recall.api;

import org.jspecify.annotations.Nullable;

/**
 * Which memories to list, newest first.
 *
 * @param session only this session
 * @param kind only this kind
 * @param state only this state
 * @param limit 1 to 200
 * @param cursor where the page before ended, opaque
 */
public record MemoryQuery(
        @Nullable String session,
        @Nullable MemoryKind kind,
        @Nullable MemoryState state,
        int limit,
        @Nullable String cursor) {

    /** The largest page. */
    public static final int MAX_LIMIT = 200;
}
