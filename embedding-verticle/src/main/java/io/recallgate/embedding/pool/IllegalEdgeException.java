package io.recallgate.embedding.pool;

import org.jspecify.annotations.Nullable;

/** A move that the state tables do not have. */
final class IllegalEdgeException extends DefectException {

    private static final long serialVersionUID = 1L;

    /** @param operation that was to move, null if it was a slot */
    IllegalEdgeException(String message, @Nullable Operation operation) {
        super(message, operation);
    }
}
