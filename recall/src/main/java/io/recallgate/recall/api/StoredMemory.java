package io.recallgate.recall.api;

import java.util.Locale;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What a writer gets back for one draft, in the order of the drafts.
 *
 * @param id the memory's
 * @param externalId the writer's own, if it gave one
 * @param state how far its embedding is
 * @param contentHash hex SHA-256 of the content
 * @param change what the write did
 */
public record StoredMemory(UUID id, @Nullable String externalId, MemoryState state, String contentHash, Change change) {

    /** What a write did to a memory. */
    public enum Change {
        /** It is new. */
        STORED,
        /** It existed and changed; changed content is embedded anew. */
        UPDATED,
        /** It existed just so. */
        UNCHANGED;

        /** As users read it: {@code stored}, {@code updated}, {@code unchanged}. */
        public String wireName() {
            return name().toLowerCase(Locale.ROOT);
        }
    }
}
