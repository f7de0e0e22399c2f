package io.recallgate.embedding.remote;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.recallgate.embedding.api.EmbeddingVector;
import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.OptionalInt;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads what a provider answered. Strict about what it needs, blind to the rest; reads vectors as they come, since a tree
 * of boxed numbers would take ten times their size. Stateless.
 */
final class AnswerReader {

    private static final JsonFactory JSON = new JsonFactory();

    /** What a machine-readable reason looks like; anything else may quote what was sent, even the key. */
    private static final Pattern REASON = Pattern.compile("[A-Za-z][A-Za-z0-9_.-]{0,63}");

    private static final int OK = 200;
    private static final int TOO_MANY_REQUESTS = 429;
    private static final int UNAVAILABLE = 503;

    /** Whoever asks to be left alone for longer is asked again all the same. */
    private static final long MAX_RETRY_SECONDS = 600;

    private AnswerReader() {}

    /**
     * Vectors of one request.
     *
     * @param rows in the order of the request, each of unit length and all of one dimension
     * @param promptTokens what the provider counted for all of them; empty if it did not say
     */
    record Vectors(List<EmbeddingVector> rows, OptionalInt promptTokens) {
        int dimensions() {
            return rows.get(0).dimensions();
        }
    }

    /**
     * The vectors of an answer.
     *
     * @param count rows that were sent
     * @param dimensions that are expected, empty if any will do
     * @throws FailureException {@code overloaded}, {@code dimension-mismatch} or {@code embedding-failed}, without a word
     *     of the answer that could be somebody's text
     */
    static Vectors read(ProviderClient.Answer answer, int count, OptionalInt dimensions) {
        if (answer.status() != OK) {
            throw refusal(answer);
        }
        Found found = parse(answer.body());
        if (found.vectors.size() != count) {
            throw failed("the embedding provider sent " + found.vectors.size() + " vectors for " + count + " texts");
        }
        int expected = dimensions.orElse(found.vectors.get(0).values().length);
        EmbeddingVector[] rows = new EmbeddingVector[count];
        for (int i = 0; i < count; i++) {
            Row row = found.vectors.get(i);
            int index = row.index() == null ? i : row.index();
            if (index < 0 || index >= count || rows[index] != null) {
                throw failed("the embedding provider's vectors are not numbered from 0 to " + (count - 1));
            }
            if (row.values().length != expected) {
                throw new FailureException(
                        FailureCode.DIMENSION_MISMATCH,
                        "the embedding provider sent a vector of " + row.values().length + " dimensions instead of "
                                + expected);
            }
            rows[index] = unit(row.values());
        }
        return new Vectors(List.of(rows), found.promptTokens);
    }

    private static FailureException refusal(ProviderClient.Answer answer) {
        String reason = reason(answer.body());
        String detail =
                "the embedding provider answered " + answer.status() + (reason == null ? "" : " (" + reason + ")");
        if (answer.status() != TOO_MANY_REQUESTS && answer.status() != UNAVAILABLE) {
            return failed(detail);
        }
        FailureException overloaded = new FailureException(FailureCode.OVERLOADED, detail);
        String wait = answer.retryAfter();
        return wait != null && wait.matches("[0-9]{1,9}")
                ? overloaded.retryAfter(Duration.ofSeconds(Math.min(MAX_RETRY_SECONDS, Long.parseLong(wait))))
                : overloaded;
    }

    /** {@code error.code} or {@code error.type} of OpenAI's error object, if it is a word of a closed kind. */
    private static @Nullable String reason(Buffer body) {
        String type = null;
        try (JsonParser json = JSON.createParser(body.getBytes())) {
            while (json.nextToken() != null) {
                String name = json.currentName();
                if (json.currentToken() == JsonToken.VALUE_STRING && ("code".equals(name) || "type".equals(name))) {
                    String word = json.getText();
                    if (REASON.matcher(word).matches()) {
                        if ("code".equals(name)) {
                            return word;
                        }
                        type = word;
                    }
                }
            }
        } catch (IOException notJson) {
            return null;
        }
        return type;
    }

    /** A vector as it came; the index is null where the provider gave none. */
    @SuppressWarnings("ArrayRecordComponent") // never leaves this class
    private record Row(@Nullable Integer index, float[] values) {}

    private static final class Found {
        private final List<Row> vectors = new java.util.ArrayList<>();
        private OptionalInt promptTokens = OptionalInt.empty();
    }

    private static Found parse(Buffer body) {
        Found found = new Found();
        try (JsonParser json = JSON.createParser(body.getBytes())) {
            require(json.nextToken() == JsonToken.START_OBJECT);
            while (json.nextToken() == JsonToken.FIELD_NAME) {
                String field = json.currentName();
                JsonToken value = json.nextToken();
                if (field.equals("data") && value == JsonToken.START_ARRAY) {
                    while (json.nextToken() == JsonToken.START_OBJECT) {
                        found.vectors.add(row(json));
                    }
                    require(json.currentToken() == JsonToken.END_ARRAY);
                } else if (field.equals("usage") && value == JsonToken.START_OBJECT) {
                    found.promptTokens = promptTokens(json);
                } else {
                    json.skipChildren();
                }
            }
            require(json.currentToken() == JsonToken.END_OBJECT);
        } catch (IOException | IllegalArgumentException notAnAnswer) {
            // Not the parser's words: they quote the answer.
            throw failed("the embedding provider's answer is not what /v1/embeddings answers");
        }
        return found;
    }

    private static Row row(JsonParser json) throws IOException {
        Integer index = null;
        float[] values = null;
        while (json.nextToken() == JsonToken.FIELD_NAME) {
            String field = json.currentName();
            JsonToken value = json.nextToken();
            if (field.equals("index") && value == JsonToken.VALUE_NUMBER_INT) {
                index = json.getIntValue();
            } else if (field.equals("embedding") && value == JsonToken.START_ARRAY) {
                values = numbers(json);
            } else if (field.equals("embedding") && value == JsonToken.VALUE_STRING) {
                values = EmbeddingVector.ofLittleEndian(Base64.getDecoder().decode(json.getText()))
                        .toArray();
            } else {
                json.skipChildren();
            }
        }
        if (values == null || values.length == 0) {
            throw new IOException("an entry without an embedding");
        }
        return new Row(index, values);
    }

    private static float[] numbers(JsonParser json) throws IOException {
        float[] values = new float[1_024];
        int length = 0;
        while (json.nextToken() != JsonToken.END_ARRAY) {
            require(json.currentToken().isNumeric());
            if (length == values.length) {
                values = Arrays.copyOf(values, 2 * length);
            }
            values[length++] = (float) json.getDoubleValue();
        }
        return Arrays.copyOf(values, length);
    }

    private static OptionalInt promptTokens(JsonParser json) throws IOException {
        OptionalInt tokens = OptionalInt.empty();
        while (json.nextToken() == JsonToken.FIELD_NAME) {
            boolean counts = json.currentName().equals("prompt_tokens");
            if (json.nextToken() == JsonToken.VALUE_NUMBER_INT && counts && json.getIntValue() >= 0) {
                tokens = OptionalInt.of(json.getIntValue());
            } else {
                json.skipChildren();
            }
        }
        return tokens;
    }

    private static void require(boolean holds) throws IOException {
        if (!holds) {
            throw new IOException("not the shape of an answer");
        }
    }

    /** Not every server scales its vectors, and recall compares by inner product. */
    private static EmbeddingVector unit(float[] values) {
        double squares = 0;
        for (float value : values) {
            squares += (double) value * value;
        }
        if (!(squares > 0) || Double.isInfinite(squares)) {
            throw failed("the embedding provider sent a vector that has no direction");
        }
        double scale = 1 / Math.sqrt(squares);
        for (int i = 0; i < values.length; i++) {
            values[i] = (float) (values[i] * scale);
        }
        return EmbeddingVector.of(values);
    }

    private static FailureException failed(String detail) {
        return new FailureException(FailureCode.EMBEDDING_FAILED, detail);
    }
}
