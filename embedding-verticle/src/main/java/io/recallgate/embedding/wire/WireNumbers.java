package io.recallgate.embedding.wire;

import io.recallgate.embedding.api.InputType;
import io.recallgate.embedding.protocol.RunFailure;
import io.recallgate.embedding.protocol.StartFailure;

/** Numbers of enum constants and input forms, which are added to, never changed or reused: not their positions. */
final class WireNumbers {

    /** An input that is a text. */
    static final int TEXT = 1;

    /** An input that is token ids. */
    static final int TOKENS = 2;

    private WireNumbers() {}

    static int of(InputType type) {
        return switch (type) {
            case QUERY -> 1;
            case DOCUMENT -> 2;
        };
    }

    static int of(RunFailure failure) {
        return switch (failure) {
            case OUT_OF_MEMORY -> 1;
            case POISON -> 2;
            case INTERNAL -> 3;
        };
    }

    static int of(StartFailure failure) {
        return switch (failure) {
            case TERMINAL -> 1;
            case RETRYABLE -> 2;
        };
    }
}
