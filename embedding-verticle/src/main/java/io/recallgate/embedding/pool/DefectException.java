package io.recallgate.embedding.pool;

import org.jspecify.annotations.Nullable;

/** Something that cannot be, such as a slot without its slice: a defect of ours, never an outcome. */
class DefectException extends IllegalStateException {

    private static final long serialVersionUID = 1L;

    private final transient @Nullable Operation operation;

    /** @param operation the one that cannot be trusted any more, null if there is none */
    DefectException(String message, @Nullable Operation operation) {
        super(message);
        this.operation = operation;
    }

    /** The operation it happened to, null if there is none or it was dealt with. */
    @Nullable
    Operation operation() {
        return operation;
    }
}
