package io.recallgate.recall.store;

import io.recallgate.recall.api.MemoryDraft;
import io.recallgate.recall.lexical.LexicalAnalysis;
import io.recallgate.recall.lexical.LexicalDocument;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.UUID;

/**
 * A draft with everything that is computed from it, ready to be written.
 *
 * @param index of the draft in its request
 * @param id for the memory if it turns out to be new
 * @param draft what the writer gave
 * @param contentHash hex SHA-256 of the content
 * @param metadata as JSON text
 * @param words its analysis
 */
record PreparedDraft(
        int index, UUID id, MemoryDraft draft, String contentHash, String metadata, LexicalDocument words) {

    /** Hashes, encodes and analyses: up to a second for 1 MiB. */
    static PreparedDraft of(int index, UUID id, MemoryDraft draft, LexicalAnalysis analysis) {
        return new PreparedDraft(
                index, id, draft, sha256(draft.content()), draft.metadata().encode(), analysis.document(draft));
    }

    private static String sha256(String text) {
        try {
            return HexFormat.of()
                    .formatHex(MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }
}
