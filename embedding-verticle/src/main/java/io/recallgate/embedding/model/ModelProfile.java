package io.recallgate.embedding.model;

import io.recallgate.embedding.api.ModelIdentity;

/**
 * What loading a model showed.
 *
 * @param identity the model
 * @param batchInvariant whether a text gets the same vector alone and among others; only then may rows share a run
 * @param batchCosine the lowest cosine seen between the two, 1.0 when equal
 * @param vocabularySize token ids are below this
 * @param residentBytes what the loaded model was seen to hold, and working memory of one row of the full width
 */
public record ModelProfile(
        ModelIdentity identity, boolean batchInvariant, double batchCosine, int vocabularySize, long residentBytes) {}
