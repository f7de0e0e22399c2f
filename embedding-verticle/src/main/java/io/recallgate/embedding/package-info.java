/**
 * The embedding pool as a verticle. {@link io.recallgate.embedding.EmbeddingVerticle} owns the dispatcher on its one
 * context, performs its effects (workers, messages, timers, answers), and hands out thread-safe handles: an {@link
 * io.recallgate.embedding.api.Embedder} and {@link io.recallgate.embedding.api.WorkerOperations}. {@link
 * io.recallgate.embedding.ProcessSignals} lets a launcher end the process without freeing native memory under a running
 * call.
 */
@NullMarked
package io.recallgate.embedding;

import org.jspecify.annotations.NullMarked;
