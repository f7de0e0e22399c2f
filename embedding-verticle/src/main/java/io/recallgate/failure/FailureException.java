package io.recallgate.failure;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A failure on its way to the caller. It has no stack trace: it is an expected outcome. The detail is written for the
 * caller and says what to do; it never contains text of a memory, a key or a password.
 */
public final class FailureException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final FailureCode code;
    private final @Nullable String field;
    private final @Nullable Duration retryAfter;
    private final boolean abandoned;

    /** @param detail one sentence for the caller */
    public FailureException(FailureCode code, String detail) {
        this(code, detail, null, null, false, null);
    }

    private FailureException(
            FailureCode code,
            String detail,
            @Nullable String field,
            @Nullable Duration retryAfter,
            boolean abandoned,
            @Nullable Throwable cause) {
        super(detail, cause, false, false);
        this.code = code;
        this.field = field;
        this.retryAfter = retryAfter;
        this.abandoned = abandoned;
    }

    /**
     * A failure about one field or parameter.
     *
     * @param field path as the caller wrote it, such as {@code memories[3].content}
     */
    public static FailureException ofField(FailureCode code, String field, String detail) {
        return new FailureException(code, detail, field, null, false, null);
    }

    /** The same failure with a hint when to try again. */
    public FailureException retryAfter(Duration wait) {
        return new FailureException(code, detail(), field, wait, abandoned, getCause());
    }

    /** The same failure with the error that led to it, for the log. */
    public FailureException causedBy(Throwable cause) {
        return new FailureException(code, detail(), field, retryAfter, abandoned, cause);
    }

    /** The same failure of work that goes on, although nobody waits for it any more. */
    public FailureException abandoned() {
        return new FailureException(code, detail(), field, retryAfter, true, getCause());
    }

    /** What went wrong. */
    public FailureCode code() {
        return code;
    }

    /** One sentence for the caller. */
    public String detail() {
        String message = getMessage();
        return message == null ? code.code() : message;
    }

    /** The field it is about, null when it is about none. */
    public @Nullable String field() {
        return field;
    }

    /** When to try again, null when there is no telling. */
    public @Nullable Duration retryAfter() {
        return retryAfter;
    }

    /**
     * Whether the work that was asked for goes on: whoever does it was not told to stop, or does not listen. Only who
     * handed it out can tell; how long a caller waited says nothing about it.
     */
    public boolean isAbandoned() {
        return abandoned;
    }

    /** The failure itself, or {@link FailureCode#INTERNAL} around anything else, without its message. */
    public static FailureException of(Throwable error) {
        return error instanceof FailureException failure
                ? failure
                : new FailureException(FailureCode.INTERNAL, "an internal error; the log has it under this request id")
                        .causedBy(error);
    }
}
