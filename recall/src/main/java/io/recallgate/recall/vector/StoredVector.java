package io.recallgate.recall.vector;

import io.recallgate.embedding.api.EmbeddingVector;
import io.recallgate.recall.api.Scope;
import java.util.UUID;

/**
 * One vector as it is committed.
 *
 * @param scope whose
 * @param memoryId of which memory
 * @param passage from zero; a memory longer than the model's window has several
 * @param fingerprint of the model that made it
 * @param vector of unit length
 */
public record StoredVector(Scope scope, UUID memoryId, int passage, String fingerprint, EmbeddingVector vector) {}
