/**
 * Models that run in this process: where their files come from, what they are, and the native session that runs them.
 *
 * <p>{@link io.recallgate.embedding.model.ModelStore} turns a configured name into checked files, {@link
 * io.recallgate.embedding.model.NativeModel} opens them with ONNX Runtime, and {@link
 * io.recallgate.embedding.model.NativeGate} is the one door through which threads enter native code, so that a process
 * can end without freeing what a thread still uses. The pool sees only {@link
 * io.recallgate.embedding.model.TextModel}. Everything here blocks and belongs on worker threads, except where a method
 * says otherwise.
 */
@NullMarked
package io.recallgate.embedding.model;

import org.jspecify.annotations.NullMarked;
