/**
 * What a user of embeddings sees: the request, its result and the {@link io.recallgate.embedding.api.Embedder} that
 * turns one into the other, whichever provider stands behind it. Immutable records only; no Vert.x verticle, no native
 * type.
 */
@NullMarked
package io.recallgate.embedding.api;

import org.jspecify.annotations.NullMarked;
