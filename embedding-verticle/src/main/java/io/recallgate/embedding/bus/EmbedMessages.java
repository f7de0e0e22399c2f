package io.recallgate.embedding.bus;

import io.recallgate.embedding.api.EmbedInput;
import io.recallgate.embedding.api.EmbedRequest;
import io.recallgate.embedding.api.EmbedResult;
import io.recallgate.embedding.api.EmbedRows;
import io.recallgate.embedding.api.EmbeddingVector;
import io.recallgate.embedding.api.InputType;
import io.recallgate.embedding.api.ModelIdentity;
import io.recallgate.embedding.api.Priority;
import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import io.recallgate.time.CancelSignal;
import io.recallgate.time.Clock;
import io.recallgate.time.Deadline;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The JSON of {@code recallgate.embed}, in both directions. Reading is strict: what is not known is refused. */
final class EmbedMessages {

    static final String EMBED = "recallgate.embed";
    static final String CANCEL = "recallgate.embed.cancel";
    static final String STATUS = "recallgate.status";

    /** Header with the client's id, in whose scope request ids are unique. */
    static final String CLIENT = "recallgate-client";

    private static final Set<String> REQUEST_FIELDS =
            Set.of("id", "texts", "tokens", "input_type", "priority", "deadline_ms");
    private static final String INPUT = "input";
    private static final int MAX_ID_CHARS = 200;
    private static final long MAX_DEADLINE_MILLIS = TimeUnit.HOURS.toMillis(1);
    /** As the bus's own default for a reply. */
    private static final long DEFAULT_DEADLINE_MILLIS = 30_000;

    private EmbedMessages() {}

    /** The caller's id, which is read first so that a cancellation can follow at once. */
    static String id(JsonObject body) {
        Object id = body.getValue("id");
        if (id instanceof String text && !text.isEmpty() && text.length() <= MAX_ID_CHARS) {
            return text;
        }
        throw invalid("id", "id must be a string of 1 to " + MAX_ID_CHARS + " characters");
    }

    static void requireOnly(JsonObject body, Set<String> known) {
        for (String field : body.fieldNames()) {
            if (!known.contains(field)) {
                throw FailureException.ofField(
                        FailureCode.UNKNOWN_FIELD, field, "the field " + field + " is not known here");
            }
        }
    }

    static EmbedRequest request(JsonObject body, CancelSignal cancel, Clock clock) {
        requireOnly(body, REQUEST_FIELDS);
        InputType type = choice(body, "input_type", InputType.class, InputType.DOCUMENT);
        Priority fallback = type == InputType.QUERY ? Priority.QUERY : Priority.DOCUMENT;
        return new EmbedRequest(
                id(body),
                inputs(body),
                type,
                choice(body, "priority", Priority.class, fallback),
                Deadline.afterMillis(clock, deadlineMillis(body)),
                cancel);
    }

    private static long deadlineMillis(JsonObject body) {
        Object value = body.getValue("deadline_ms");
        if (value == null) {
            return DEFAULT_DEADLINE_MILLIS;
        }
        if ((value instanceof Integer || value instanceof Long)
                && ((Number) value).longValue() >= 1
                && ((Number) value).longValue() <= MAX_DEADLINE_MILLIS) {
            return ((Number) value).longValue();
        }
        throw invalid("deadline_ms", "deadline_ms must be a whole number from 1 to " + MAX_DEADLINE_MILLIS);
    }

    private static <E extends Enum<E>> E choice(JsonObject body, String field, Class<E> type, E fallback) {
        Object value = body.getValue(field);
        if (value == null) {
            return fallback;
        }
        List<String> allowed = new ArrayList<>();
        for (E constant : type.getEnumConstants()) {
            String code = constant.name().toLowerCase(Locale.ROOT);
            if (code.equals(value)) {
                return constant;
            }
            allowed.add(code);
        }
        throw invalid(field, field + " must be one of " + String.join(", ", allowed));
    }

    private static List<EmbedInput> inputs(JsonObject body) {
        boolean texts = body.getValue("texts") != null;
        if (texts == (body.getValue("tokens") != null)) {
            throw invalid("texts", "give either texts or tokens");
        }
        String field = texts ? "texts" : "tokens";
        if (!(body.getValue(field) instanceof JsonArray rows)
                || rows.isEmpty()
                || rows.size() > EmbedRequest.MAX_INPUTS) {
            throw invalid(field, field + " must be an array of 1 to " + EmbedRequest.MAX_INPUTS + " entries");
        }
        List<EmbedInput> inputs = new ArrayList<>(rows.size());
        for (int i = 0; i < rows.size(); i++) {
            String path = field + "[" + i + "]";
            inputs.add(texts ? text(rows.getValue(i), path) : tokens(rows.getValue(i), path));
        }
        return inputs;
    }

    /** The same failure about the field as the caller wrote it: who embeds speaks of {@code input}. */
    static Throwable asWritten(Throwable error, JsonObject body) {
        String field = error instanceof FailureException failure ? failure.field() : null;
        if (field == null || !(field.equals(INPUT) || field.startsWith(INPUT + "["))) {
            return error;
        }
        FailureException failure = (FailureException) error;
        String written = body.getValue("texts") != null ? "texts" : "tokens";
        return FailureException.ofField(failure.code(), written + field.substring(INPUT.length()), failure.detail());
    }

    private static EmbedInput text(@Nullable Object value, String path) {
        if (!(value instanceof String text)) {
            throw invalid(path, path + " must be a string");
        }
        return EmbedRows.text(text, path);
    }

    private static EmbedInput tokens(@Nullable Object value, String path) {
        if (!(value instanceof JsonArray ids)) {
            throw invalid(path, path + " must be an array of token ids");
        }
        return EmbedRows.tokens(ids, path);
    }

    /** Rough size of a request in bytes, to decide where it is read. */
    static long sizeOf(JsonObject body) {
        long size = 0;
        for (String field : List.of("texts", "tokens")) {
            if (body.getValue(field) instanceof JsonArray rows) {
                for (Object row : rows) {
                    size += row instanceof String text
                            ? text.length()
                            : row instanceof JsonArray ids ? 8L * ids.size() : 0;
                }
            }
        }
        return size;
    }

    /**
     * A request as a message.
     *
     * @throws FailureException {@code invalid-field} if texts and tokens are mixed, which one message cannot carry
     */
    static JsonObject encode(EmbedRequest request) {
        JsonArray texts = new JsonArray();
        JsonArray tokens = new JsonArray();
        for (EmbedInput input : request.inputs()) {
            if (input instanceof EmbedInput.Text text) {
                texts.add(text.text());
            } else if (input instanceof EmbedInput.Tokens row) {
                JsonArray ids = new JsonArray();
                for (int id : row.ids()) {
                    ids.add(id);
                }
                tokens.add(ids);
            }
        }
        if (!texts.isEmpty() && !tokens.isEmpty()) {
            throw invalid("inputs", "texts and token ids cannot be mixed in one request over the event bus");
        }
        return new JsonObject()
                .put("id", request.id())
                .put(texts.isEmpty() ? "tokens" : "texts", texts.isEmpty() ? tokens : texts)
                .put("input_type", request.inputType().name().toLowerCase(Locale.ROOT))
                .put("priority", request.priority().name().toLowerCase(Locale.ROOT))
                .put(
                        "deadline_ms",
                        Math.max(
                                1,
                                Math.min(MAX_DEADLINE_MILLIS, request.deadline().remainingMillis())));
    }

    static JsonObject encode(String id, EmbedResult result) {
        JsonArray vectors = new JsonArray();
        Base64.Encoder base64 = Base64.getEncoder();
        result.vectors().forEach(vector -> vectors.add(base64.encodeToString(vector.toLittleEndian())));
        ModelIdentity model = result.model();
        EmbedResult.Timing timing = result.timing();
        return new JsonObject()
                .put("id", id)
                .put("model", model.name())
                .put("fingerprint", model.fingerprint())
                .put("dimensions", model.dimensions())
                .put("max_tokens", model.maxTokens())
                .put("vectors", vectors)
                .put("truncated", new JsonArray(result.truncated()))
                .put("token_counts", new JsonArray(result.tokenCounts()))
                .put(
                        "timing_ms",
                        new JsonObject()
                                .put("queue", timing.queueNanos() / 1e6)
                                .put("tokenize", timing.tokenizeNanos() / 1e6)
                                .put("inference", timing.inferenceNanos() / 1e6));
    }

    static EmbedResult result(JsonObject body) {
        List<EmbeddingVector> vectors = new ArrayList<>();
        Base64.Decoder base64 = Base64.getDecoder();
        for (Object vector : body.getJsonArray("vectors")) {
            vectors.add(EmbeddingVector.ofLittleEndian(base64.decode((String) vector)));
        }
        JsonObject timing = body.getJsonObject("timing_ms");
        return new EmbedResult(
                new ModelIdentity(
                        body.getString("model"),
                        body.getString("fingerprint"),
                        body.getInteger("dimensions"),
                        body.getInteger("max_tokens")),
                vectors,
                integers(body.getJsonArray("token_counts")),
                integers(body.getJsonArray("truncated")),
                new EmbedResult.Timing(nanos(timing, "queue"), nanos(timing, "tokenize"), nanos(timing, "inference")));
    }

    private static List<Integer> integers(JsonArray array) {
        List<Integer> values = new ArrayList<>(array.size());
        for (int i = 0; i < array.size(); i++) {
            values.add(array.getInteger(i));
        }
        return values;
    }

    private static long nanos(JsonObject timing, String field) {
        return Math.round(timing.getDouble(field) * 1e6);
    }

    private static FailureException invalid(String field, String detail) {
        return FailureException.ofField(FailureCode.INVALID_FIELD, field, detail);
    }
}
