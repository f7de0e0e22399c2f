package io.recallgate.recall.store;

import io.recallgate.digest.Sha256;
import io.recallgate.recall.api.ExportedMemory;
import io.recallgate.recall.api.MemoryAccess;
import io.recallgate.recall.api.MemoryDraft;
import io.recallgate.recall.lexical.LexicalAnalysis;
import io.recallgate.recall.lexical.LexicalDocument;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A draft with everything that is computed from it, ready to be written.
 *
 * @param index of the draft in its request
 * @param id for the memory if it turns out to be new
 * @param exportedId it had where it was exported, if that is what names it
 * @param draft what the writer gave
 * @param access how often it was recalled where it was exported; null if never
 * @param contentHash hex SHA-256 of the content
 * @param metadata as JSON text
 * @param words its analysis
 */
record PreparedDraft(
        int index,
        UUID id,
        @Nullable UUID exportedId,
        MemoryDraft draft,
        @Nullable MemoryAccess access,
        String contentHash,
        String metadata,
        LexicalDocument words) {

    /** Hashes, encodes and analyses: up to a second for 1 MiB. */
    static PreparedDraft of(int index, UUID id, ExportedMemory memory, LexicalAnalysis analysis) {
        MemoryDraft draft = memory.draft();
        return new PreparedDraft(
                index,
                id,
                draft.externalId() == null ? memory.id() : null,
                draft,
                memory.access(),
                Sha256.hex(draft.content()),
                draft.metadata().encode(),
                analysis.document(draft));
    }

    /** The same with an external id: the one that the memory has already. */
    PreparedDraft named(@Nullable String externalId) {
        MemoryDraft named = new MemoryDraft(
                draft.content(),
                draft.kind(),
                draft.role(),
                draft.author(),
                draft.session(),
                draft.occurredAt(),
                draft.pinned(),
                externalId,
                draft.metadata(),
                draft.supersedes());
        return new PreparedDraft(index, id, exportedId, named, access, contentHash, metadata, words);
    }
}
