package io.recallgate.recall.api;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A part of an export, bounded in rows and bytes.
 *
 * @param memories oldest first; each with its id
 * @param next asks for the part behind; null when there is none
 */
public record ExportPage(
        List<ExportedMemory> memories, @Nullable ExportQuery next) {
    /** Copies the list. */
    public ExportPage {
        memories = List.copyOf(memories);
    }
}
