package io.recallgate.embedding.protocol;

import io.recallgate.embedding.api.EmbeddingVector;

/**
 * One embedded row.
 *
 * @param vector of unit length
 * @param tokens after the cut, special tokens and prefix included
 * @param truncated whether the row was cut to the model's window
 */
public record RowResult(EmbeddingVector vector, int tokens, boolean truncated) {}
