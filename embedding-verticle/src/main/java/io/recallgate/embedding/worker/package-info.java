/**
 * One embedding worker: {@link io.recallgate.embedding.worker.WorkerVerticle} owns a model on a thread of its own and
 * runs one slice at a time; {@link io.recallgate.embedding.worker.WorkerControl} listens beside it on an event loop,
 * since a thread inside native code reads no messages. The two share a {@link
 * io.recallgate.embedding.worker.SliceLedger}, which decides whether a slice was cancelled before it started or not.
 * Every name and address carries slot and generation, so that a late worker never takes its successor's messages.
 */
@NullMarked
package io.recallgate.embedding.worker;

import org.jspecify.annotations.NullMarked;
