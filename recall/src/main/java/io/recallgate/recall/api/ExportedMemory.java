package io.recallgate.recall.api;

import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A memory as it leaves one project and enters another.
 *
 * @param id it had where it was exported; names it on its way back when its writer gave it no id of its own. Null for
 *     one that was never exported
 * @param draft what its writer gave
 * @param access how often it was recalled there; null if never
 */
public record ExportedMemory(
        @Nullable UUID id, MemoryDraft draft, @Nullable MemoryAccess access) {

    /** One that nobody recalled. */
    public ExportedMemory(@Nullable UUID id, MemoryDraft draft) {
        this(id, draft, null);
    }
}
