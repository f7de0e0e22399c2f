package io.recallgate.recall.api;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One page of memories.
 *
 * @param memories newest first
 * @param nextCursor null on the last page
 */
public record MemoryPage(List<Memory> memories, @Nullable String nextCursor) {
    /** Copies the list. */
    public MemoryPage {
        memories = List.copyOf(memories);
    }
}
