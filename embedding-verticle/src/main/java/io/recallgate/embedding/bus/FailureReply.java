package io.recallgate.embedding.bus;

import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import io.vertx.core.eventbus.Message;
import io.vertx.core.eventbus.ReplyException;
import io.vertx.core.eventbus.ReplyFailure;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Failures on the event bus. The failure code of the reply is the family's stable number; its message is a JSON object
 * {@code {"code","detail","field","retry_after_ms","abandoned"}}, since a subclass of {@code ReplyException} with fields of its own
 * would lose them between nodes.
 */
public final class FailureReply {

    private FailureReply() {}

    /** Answers a message with a failure; anything that is none of ours becomes {@code internal}. */
    public static void send(Message<?> message, Throwable error) {
        FailureException failure = FailureException.of(error);
        message.fail(failure.code().number(), encode(failure).encode());
    }

    /** The typed body of a failure; fields that say nothing are left out. */
    public static JsonObject encode(FailureException failure) {
        JsonObject body = new JsonObject().put("code", failure.code().code()).put("detail", failure.detail());
        if (failure.field() != null) {
            body.put("field", failure.field());
        }
        Duration retry = failure.retryAfter();
        if (retry != null) {
            body.put("retry_after_ms", retry.toMillis());
        }
        if (failure.isAbandoned()) {
            body.put("abandoned", true);
        }
        return body;
    }

    /**
     * What a failed request means.
     *
     * @param unavailable for a request that nobody is there to answer
     */
    public static FailureException decode(Throwable error, FailureCode unavailable) {
        if (!(error instanceof ReplyException reply)) {
            return FailureException.of(error);
        }
        if (reply.failureType() == ReplyFailure.TIMEOUT) {
            return new FailureException(FailureCode.DEADLINE_EXCEEDED, "no answer came before the deadline");
        }
        if (reply.failureType() == ReplyFailure.NO_HANDLERS) {
            return new FailureException(unavailable, "nobody serves this address").retryAfter(Duration.ofSeconds(1));
        }
        FailureCode code = FailureCode.ofNumber(reply.failureCode()).orElse(FailureCode.INTERNAL);
        JsonObject body = bodyOf(reply);
        // Of the right type or not at all: the other node may be of another version, or no node of ours.
        String detail = body.getValue("detail") instanceof String text ? text : code.code();
        String field = body.getValue("field") instanceof String path ? path : null;
        FailureException failure =
                field == null ? new FailureException(code, detail) : FailureException.ofField(code, field, detail);
        if (Boolean.TRUE.equals(body.getValue("abandoned"))) {
            failure = failure.abandoned();
        }
        return body.getValue("retry_after_ms") instanceof Number millis && millis.longValue() >= 0
                ? failure.retryAfter(Duration.ofMillis(millis.longValue()))
                : failure;
    }

    private static JsonObject bodyOf(ReplyException reply) {
        @Nullable String message = reply.getMessage();
        if (message == null) {
            return new JsonObject();
        }
        try {
            return new JsonObject(message);
        } catch (DecodeException e) {
            return new JsonObject(); // not one of ours; the number still tells
        }
    }
}
