package io.recallgate.embedding.pool;

import org.jspecify.annotations.Nullable;

/** A move that the state tables do not have: a defect of ours, never an outcome. */
final class IllegalEdgeException extends IllegalStateException {

    private static final long serialVersionUID = 1L;

    private final transient @Nullable Operation operation;

    IllegalEdgeException(String message, @Nullable Operation operation) {
        super(message);
        this.operation = operation;
    }

    /** The operation it happened to, null if it happened to a slot. */
    @Nullable
    Operation operation() {
        return operation;
    }
}
