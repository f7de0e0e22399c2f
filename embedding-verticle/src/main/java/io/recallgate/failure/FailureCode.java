package io.recallgate.failure;

import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What can go wrong, as a closed set. The name in lower case with hyphens ({@link #code()}) is what users script
 * against; the {@link #number()} is the failure code of a {@code ReplyException} on the event bus. Both are stable:
 * they are added to, never changed or reused.
 */
public enum FailureCode {
    /** The body is not JSON. */
    INVALID_JSON(1001, 400, Retry.NEVER),
    /** A field or parameter is missing, of the wrong type or out of range. */
    INVALID_FIELD(1002, 400, Retry.NEVER),
    /** A field that the route does not know. */
    UNKNOWN_FIELD(1003, 400, Retry.NEVER),
    /** Text with NUL or a lone surrogate, which no database stores unharmed. */
    INVALID_TEXT(1004, 400, Retry.NEVER),
    /** No key, or one that is not known. */
    UNAUTHENTICATED(1101, 401, Retry.NEVER),
    /** A known key without the right that this needs. */
    FORBIDDEN(1102, 403, Retry.NEVER),
    /** No such thing for this owner. */
    NOT_FOUND(1201, 404, Retry.NEVER),
    /** The route exists, but not with this method. */
    METHOD_NOT_ALLOWED(1202, 405, Retry.NEVER),
    /** The body's media type is not what the route takes. */
    UNSUPPORTED_MEDIA_TYPE(1203, 415, Retry.NEVER),
    /** The body did not arrive in time. */
    BODY_TIMEOUT(1204, 408, Retry.LATER),
    /** Somebody else changed the same thing in between. */
    CONFLICT(1205, 409, Retry.LATER),
    /** The body, or a field of it, is larger than its limit. */
    PAYLOAD_TOO_LARGE(1301, 413, Retry.NEVER),
    /** The work is larger than the whole queue may hold, so waiting would never help (CONTRACTS A24a). */
    WORK_TOO_LARGE(1302, 413, Retry.NEVER),
    /** What of a conversation may not be left out is longer than the model's window. */
    CONTEXT_TOO_LONG(1303, 400, Retry.NEVER),
    /** A queue is full. */
    OVERLOADED(1401, 429, Retry.LATER),
    /** Starting: listening, but not ready. */
    NOT_READY(1501, 503, Retry.LATER),
    /** Shutting down. */
    SHUTTING_DOWN(1502, 503, Retry.LATER),
    /** The database is out of reach or refuses. */
    DATABASE_UNAVAILABLE(1503, 503, Retry.LATER),
    /** The embedding provider refused the connection or is gone. */
    EMBEDDING_UNAVAILABLE(1504, 503, Retry.LATER),
    /** The embedding provider answered with an error. */
    EMBEDDING_FAILED(1505, 502, Retry.LATER),
    /** No embedding provider is configured. */
    NO_EMBEDDING_PROVIDER(1506, 503, Retry.NEVER),
    /** This very work outlived a watchdog, and its thread has not returned (CONTRACTS A6a). */
    QUARANTINED(1507, 503, Retry.LATER),
    /** The model cannot be loaded, and trying again will not help: files missing, damaged, or an unsupported platform. */
    MODEL_UNUSABLE(1508, 503, Retry.NEVER),
    /** The circuit breaker of the embedding provider is open. */
    EMBEDDING_CIRCUIT_OPEN(1509, 503, Retry.LATER),
    /**
     * This very work outlived its watchdog twice and is not tried again (CONTRACTS A6a). Not a status of 500 and more:
     * clients send those again by themselves.
     */
    EMBEDDING_GIVEN_UP(1510, 422, Retry.NEVER),
    /** The embedding provider's vectors have another dimension than they should. */
    DIMENSION_MISMATCH(1511, 502, Retry.LATER),
    /** A conversation could not be prepared in its budget, and nothing of it could safely be sent without. */
    PREPARATION_EXPIRED(1512, 503, Retry.LATER),
    /** The caller's deadline passed first. */
    DEADLINE_EXCEEDED(1601, 504, Retry.LATER),
    /** The caller cancelled; over HTTP nobody is left to read this. */
    CANCELLED(1602, 499, Retry.NEVER),
    /** The provider of a conversation was not reached, or broke off. */
    UPSTREAM_FAILED(1801, 502, Retry.LATER),
    /** The provider of a conversation took longer than it may to connect, to answer or to go on. */
    UPSTREAM_TIMEOUT(1802, 504, Retry.LATER),
    /** The provider of a conversation answered with what is no answer. */
    UPSTREAM_UNREADABLE(1803, 502, Retry.LATER),
    /** A route whose issue is not done yet; it says so instead of pretending. */
    NOT_IMPLEMENTED(1701, 501, Retry.NEVER),
    /** A defect of ours. */
    INTERNAL(1999, 500, Retry.LATER);

    private static final Map<Integer, FailureCode> BY_NUMBER =
            Stream.of(values()).collect(Collectors.toUnmodifiableMap(FailureCode::number, Function.identity()));

    private final int number;
    private final int httpStatus;
    private final Retry retry;

    FailureCode(int number, int httpStatus, Retry retry) {
        this.number = number;
        this.httpStatus = httpStatus;
        this.retry = retry;
    }

    /** Whether the same request may succeed when it is sent again unchanged. */
    public enum Retry {
        /** It will fail the same way. */
        NEVER,
        /** It may succeed later. */
        LATER
    }

    /** Stable number, 1001 to 1999: the failure code of a {@code ReplyException}. */
    public int number() {
        return number;
    }

    /** HTTP status of native routes; compatible routes map it to what their dialect has. */
    public int httpStatus() {
        return httpStatus;
    }

    /** Whether trying the same again makes sense. */
    public Retry retry() {
        return retry;
    }

    /** Stable name, such as {@code invalid-field}. */
    public String code() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** The code with this number, empty for numbers that are not ours (Vert.x's own are negative or zero). */
    public static Optional<FailureCode> ofNumber(int number) {
        return Optional.ofNullable(BY_NUMBER.get(number));
    }
}
