package io.recallgate.gateway.http.failure;

import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import io.vertx.core.json.JsonObject;

/** Whose error shape a route speaks. */
public enum Dialect {
    /** RFC 9457 problem details, on native routes. */
    NATIVE("application/problem+json") {
        @Override
        public JsonObject body(FailureException failure, String requestId) {
            FailureShape shape = FailureShape.of(failure.code());
            JsonObject problem = new JsonObject()
                    .put("type", "urn:recallgate:problem:" + failure.code().code())
                    .put("title", shape.title())
                    .put("status", failure.code().httpStatus())
                    .put("detail", failure.detail())
                    .put("instance", "urn:recallgate:request:" + requestId)
                    .put("code", failure.code().code());
            if (failure.field() != null) {
                problem.put("field", failure.field());
            }
            return problem;
        }
    },
    /** The OpenAI error object, all four fields always there. */
    OPENAI("application/json") {
        @Override
        public JsonObject body(FailureException failure, String requestId) {
            FailureShape shape = FailureShape.of(failure.code());
            boolean model = failure.code() == FailureCode.NOT_FOUND && "model".equals(failure.field());
            JsonObject error = new JsonObject()
                    .put("message", failure.detail())
                    .put("type", shape.openAiType())
                    .put("param", failure.field())
                    .put("code", model ? "model_not_found" : shape.openAiCode());
            return new JsonObject().put("error", error);
        }
    },
    /** The Anthropic error object. */
    ANTHROPIC("application/json") {
        @Override
        public JsonObject body(FailureException failure, String requestId) {
            JsonObject error = new JsonObject()
                    .put("type", FailureShape.of(failure.code()).anthropicType())
                    .put("message", failure.detail());
            return new JsonObject().put("type", "error").put("error", error).put("request_id", requestId);
        }
    };

    private final String contentType;

    Dialect(String contentType) {
        this.contentType = contentType;
    }

    /** Media type of {@link #body}. */
    public String contentType() {
        return contentType;
    }

    /** The failure as callers of this dialect expect it; the status is {@code failure.code().httpStatus()} in all. */
    public abstract JsonObject body(FailureException failure, String requestId);
}
