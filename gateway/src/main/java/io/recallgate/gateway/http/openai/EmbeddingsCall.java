package io.recallgate.gateway.http.openai;

import io.recallgate.embedding.api.EmbedInput;
import io.recallgate.embedding.api.EmbedRequest;
import io.recallgate.embedding.api.EmbedRows;
import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The body of {@code POST /v1/embeddings}, decoded strictly.
 *
 * @param model the model's name as the caller wrote it
 * @param inputs 1 to 2,048, none of them empty
 * @param single whether the body had one input as it is, not an array of inputs
 * @param base64 whether vectors are wanted as base64 of little-endian float32
 * @param dimensions to cut vectors to; empty for all
 */
record EmbeddingsCall(String model, List<EmbedInput> inputs, boolean single, boolean base64, OptionalInt dimensions) {

    private static final Set<String> FIELDS = Set.of("model", "input", "encoding_format", "dimensions", "user");
    private static final String FIRST = "input[0]";

    EmbeddingsCall {
        inputs = List.copyOf(inputs);
    }

    /** Decodes a body; throws {@link FailureException} naming the parameter. */
    static EmbeddingsCall of(JsonObject body) {
        for (String name : body.fieldNames()) {
            if (!FIELDS.contains(name)) {
                throw FailureException.ofField(
                        FailureCode.UNKNOWN_FIELD,
                        name,
                        "unknown parameter; known are model, input, encoding_format, " + "dimensions and user");
            }
        }
        if (!(body.getValue("model") instanceof String model) || model.isEmpty()) {
            throw invalid("model", "model is required: the name of a model that GET /v1/models lists");
        }
        Object user = body.getValue("user");
        if (user != null && !(user instanceof String)) {
            throw invalid("user", "user must be a string");
        }
        Object input = body.getValue("input");
        return new EmbeddingsCall(
                model,
                inputs(input),
                isSingle(input),
                base64(body.getValue("encoding_format")),
                dimensions(body.getValue("dimensions")));
    }

    /** One text, or one array of token ids. */
    private static boolean isSingle(@Nullable Object input) {
        return !(input instanceof JsonArray array && !array.isEmpty() && !(array.getValue(0) instanceof Number));
    }

    /**
     * The same failure about the parameter as the caller wrote it: who embeds counts inputs, and calls the only one
     * {@code input[0]} even where the caller sent it without an array around it.
     */
    Throwable asWritten(Throwable error) {
        if (!single || !(error instanceof FailureException failure)) {
            return error;
        }
        String field = failure.field();
        return field == null || !field.startsWith(FIRST)
                ? error
                : FailureException.ofField(failure.code(), "input" + field.substring(FIRST.length()), failure.detail());
    }

    private static boolean base64(@Nullable Object format) {
        if (format == null || "float".equals(format)) {
            return false;
        }
        if ("base64".equals(format)) {
            return true;
        }
        throw invalid("encoding_format", "encoding_format must be float or base64");
    }

    private static OptionalInt dimensions(@Nullable Object value) {
        if (value == null) {
            return OptionalInt.empty();
        }
        if (value instanceof Integer number && number >= 1) {
            return OptionalInt.of(number);
        }
        throw invalid("dimensions", "dimensions must be a whole number of at least 1");
    }

    private static List<EmbedInput> inputs(@Nullable Object input) {
        if (input instanceof String text) {
            return List.of(EmbedRows.text(text, "input"));
        }
        if (!(input instanceof JsonArray array)) {
            throw invalid(
                    "input",
                    "input is required: a text, an array of texts, an array of token ids, or an array of those");
        }
        if (array.isEmpty()) {
            throw invalid("input", "input is empty; send at least one text");
        }
        if (array.getValue(0) instanceof Number) {
            return List.of(EmbedRows.tokens(array, "input"));
        }
        if (array.size() > EmbedRequest.MAX_INPUTS) {
            throw invalid("input", "input has " + array.size() + " entries; the most is " + EmbedRequest.MAX_INPUTS);
        }
        boolean texts = array.getValue(0) instanceof String;
        List<EmbedInput> inputs = new ArrayList<>(array.size());
        for (int i = 0; i < array.size(); i++) {
            Object entry = array.getValue(i);
            String field = "input[" + i + "]";
            if (texts && entry instanceof String text) {
                inputs.add(EmbedRows.text(text, field));
            } else if (!texts && entry instanceof JsonArray ids) {
                inputs.add(EmbedRows.tokens(ids, field));
            } else {
                throw invalid(field, "every entry must be a text, or every entry an array of token ids");
            }
        }
        return inputs;
    }

    private static FailureException invalid(String field, String detail) {
        return FailureException.ofField(FailureCode.INVALID_FIELD, field, detail);
    }
}
