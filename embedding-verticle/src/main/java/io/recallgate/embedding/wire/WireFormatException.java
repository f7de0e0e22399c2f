package io.recallgate.embedding.wire;

import org.jspecify.annotations.Nullable;

/** Bytes that are no message of this version. The text says which field is wrong, and holds nothing of the message. */
public final class WireFormatException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    WireFormatException(String detail) {
        this(detail, null);
    }

    WireFormatException(String detail, @Nullable Throwable cause) {
        super(detail, cause);
    }
}
