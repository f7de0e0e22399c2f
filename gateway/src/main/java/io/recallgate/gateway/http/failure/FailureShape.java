package io.recallgate.gateway.http.failure;

import io.recallgate.failure.FailureCode;

/**
 * How one failure looks in each dialect.
 *
 * @param title of the problem details: the same for every occurrence
 * @param openAiType {@code error.type} of the OpenAI error object
 * @param openAiCode {@code error.code} of the OpenAI error object
 * @param anthropicType {@code error.type} of the Anthropic error object
 */
public record FailureShape(String title, String openAiType, String openAiCode, String anthropicType) {

    private static final String OPENAI_INVALID = "invalid_request_error";
    private static final String OPENAI_SERVER = "server_error";
    private static final String ANTHROPIC_INVALID = "invalid_request_error";
    private static final String ANTHROPIC_API = "api_error";

    /** The shape of every code: the only such table. */
    public static FailureShape of(FailureCode code) {
        return switch (code) {
            case INVALID_JSON -> invalid("The body is not valid JSON", "invalid_json");
            case INVALID_FIELD -> invalid("A field or parameter is not valid", "invalid_value");
            case UNKNOWN_FIELD -> invalid("A field or parameter is not known", "unknown_parameter");
            case INVALID_TEXT -> invalid("Text that cannot be stored", "invalid_value");
            case UNAUTHENTICATED ->
                new FailureShape("A key is required", OPENAI_INVALID, "invalid_api_key", "authentication_error");
            case FORBIDDEN ->
                new FailureShape("Not allowed", "permission_error", "insufficient_permissions", "permission_error");
            case NOT_FOUND -> new FailureShape("Not found", OPENAI_INVALID, "not_found", "not_found_error");
            case METHOD_NOT_ALLOWED -> invalid("The route does not take this method", "method_not_allowed");
            case UNSUPPORTED_MEDIA_TYPE -> invalid("The route does not take this media type", "unsupported_media_type");
            case BODY_TIMEOUT -> invalid("The body did not arrive in time", "request_timeout");
            case CONFLICT -> invalid("Changed by another request", "conflict");
            case PAYLOAD_TOO_LARGE ->
                new FailureShape("The body is too large", OPENAI_INVALID, "payload_too_large", "request_too_large");
            case WORK_TOO_LARGE ->
                new FailureShape(
                        "The work is larger than the queue", OPENAI_INVALID, "work_too_large", "request_too_large");
            case CONTEXT_TOO_LONG -> invalid("Longer than the model's window", "context_length_exceeded");
            case OVERLOADED ->
                new FailureShape("Too much at once", "rate_limit_error", "rate_limit_exceeded", "rate_limit_error");
            case NOT_READY -> server("Starting", "not_ready");
            case SHUTTING_DOWN -> server("Shutting down", "shutting_down");
            case DATABASE_UNAVAILABLE -> server("The database is out of reach", "database_unavailable");
            case EMBEDDING_UNAVAILABLE -> server("The embedding provider is gone", "embedding_unavailable");
            case EMBEDDING_FAILED -> server("The embedding provider failed", "embedding_failed");
            case DIMENSION_MISMATCH ->
                server("The embedding provider's vectors have another dimension", "dimension_mismatch");
            case NO_EMBEDDING_PROVIDER -> server("No embedding provider is configured", "no_embedding_provider");
            case QUARANTINED -> server("This work is quarantined", "quarantined");
            case EMBEDDING_GIVEN_UP -> invalid("This input cannot be embedded here", "embedding_given_up");
            case MODEL_UNUSABLE -> server("The model cannot be loaded", "model_unusable");
            case EMBEDDING_CIRCUIT_OPEN -> server("The embedding provider is being spared", "embedding_circuit_open");
            case PREPARATION_EXPIRED -> server("Not prepared in time", "preparation_expired");
            case UPSTREAM_UNREADABLE -> server("The provider's answer cannot be read", "upstream_unreadable");
            case DEADLINE_EXCEEDED ->
                new FailureShape("The deadline passed", OPENAI_SERVER, "deadline_exceeded", "timeout_error");
            case UPSTREAM_FAILED -> server("The provider failed", "upstream_failed");
            case UPSTREAM_TIMEOUT ->
                new FailureShape(
                        "The provider did not answer in time", OPENAI_SERVER, "upstream_timeout", "timeout_error");
            case CANCELLED -> server("Cancelled by the caller", "cancelled");
            case NOT_IMPLEMENTED -> server("Not implemented yet", "not_implemented");
            case INTERNAL -> server("Internal error", "internal_error");
        };
    }

    private static FailureShape invalid(String title, String openAiCode) {
        return new FailureShape(title, OPENAI_INVALID, openAiCode, ANTHROPIC_INVALID);
    }

    private static FailureShape server(String title, String openAiCode) {
        return new FailureShape(title, OPENAI_SERVER, openAiCode, ANTHROPIC_API);
    }
}
