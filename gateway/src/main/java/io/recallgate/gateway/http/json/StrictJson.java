package io.recallgate.gateway.http.json;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import io.recallgate.recall.json.TextRules;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads a body as JSON (RFC 8259, UTF-8) and refuses what would be ambiguous or harmful later: duplicate keys, deep
 * nesting, text after the value, numbers that are not finite, NUL and lone surrogates in any string. Every refusal
 * names the place. Thread-safe; the caller chooses a thread that fits the size.
 */
public final class StrictJson {

    /** Deeper than any body of ours, and shallow enough that recursion over it is safe. */
    public static final int MAX_DEPTH = 64;

    /** Longer than any number that a double or long can tell apart. */
    private static final int MAX_NUMBER_LENGTH = 400;

    private static final int MAX_NAME_LENGTH = 1_000;

    private static final JsonFactory FACTORY = JsonFactory.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            // UTF-8 and nothing else: a guessed UTF-16 would make two readers see two documents.
            .disable(JsonFactory.Feature.CHARSET_DETECTION)
            // Names come from callers: interned, their words would stay.
            .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxNestingDepth(MAX_DEPTH)
                    .maxNumberLength(MAX_NUMBER_LENGTH)
                    .maxNameLength(MAX_NAME_LENGTH)
                    .maxStringLength(Integer.MAX_VALUE)
                    .build())
            .build();

    private StrictJson() {}

    /** What is read, as failures name it. */
    private enum Source {
        BODY("the body"),
        LINE("the line");

        private final String words;

        Source(String words) {
            this.words = words;
        }

        /** Where in it; a line's own number its reader knows, and ours would be another one. */
        private String at(@Nullable JsonLocation location) {
            if (location == null) {
                return "";
            }
            String column = "column " + location.getColumnNr() + ")";
            return this == LINE ? " (" + column : " (line " + location.getLineNr() + ", " + column;
        }
    }

    /**
     * Reads a JSON object.
     *
     * @throws FailureException {@code invalid-json}, {@code invalid-field} or {@code invalid-text}
     */
    public static JsonObject object(byte[] utf8) {
        return object(utf8, Source.BODY);
    }

    /**
     * Reads a JSON object that is one line of many.
     *
     * @throws FailureException as {@link #object}
     */
    public static JsonObject line(byte[] utf8) {
        return object(utf8, Source.LINE);
    }

    private static JsonObject object(byte[] utf8, Source source) {
        try (JsonParser parser = FACTORY.createParser(utf8)) {
            JsonToken first = parser.nextToken();
            if (first == null) {
                throw new FailureException(FailureCode.INVALID_JSON, source.words + " is empty; send a JSON object");
            }
            if (first != JsonToken.START_OBJECT) {
                throw new FailureException(FailureCode.INVALID_JSON, source.words + " must be a JSON object");
            }
            JsonObject object = new JsonObject(readObject(parser, ""));
            if (parser.nextToken() != null) {
                throw new FailureException(
                        FailureCode.INVALID_JSON,
                        "text after the JSON object" + source.at(parser.currentTokenLocation()));
            }
            return object;
        } catch (StreamConstraintsException e) {
            throw new FailureException(
                            FailureCode.INVALID_JSON,
                            "nested deeper than " + MAX_DEPTH + " levels, or a name or number that is too long"
                                    + source.at(e.getLocation()))
                    .causedBy(e);
        } catch (JsonProcessingException e) {
            String what = String.valueOf(e.getOriginalMessage()).startsWith("Duplicate field")
                    ? "a key is given twice"
                    : "not valid JSON";
            throw new FailureException(FailureCode.INVALID_JSON, what + source.at(e.getLocation()));
        } catch (IOException e) {
            // Also malformed UTF-8, which the parser reports as a plain CharConversionException.
            throw new FailureException(FailureCode.INVALID_JSON, source.words + " is not valid UTF-8");
        }
    }

    private static Map<String, @Nullable Object> readObject(JsonParser parser, String path) throws IOException {
        Map<String, @Nullable Object> object = new LinkedHashMap<>();
        while (parser.nextToken() != JsonToken.END_OBJECT) {
            String name = parser.currentName();
            String field = path.isEmpty() ? name : path + "." + name;
            TextRules.requireClean(path.isEmpty() ? "a name in the body" : path, name);
            parser.nextToken();
            object.put(name, readValue(parser, field));
        }
        return object;
    }

    private static List<@Nullable Object> readArray(JsonParser parser, String path) throws IOException {
        List<@Nullable Object> array = new ArrayList<>();
        while (parser.nextToken() != JsonToken.END_ARRAY) {
            array.add(readValue(parser, path, array.size()));
        }
        return array;
    }

    private static @Nullable Object readValue(JsonParser parser, String path, int index) throws IOException {
        // A path for each of ten thousand token ids would cost more than reading them.
        return parser.currentToken() == JsonToken.VALUE_NUMBER_INT
                ? parser.getNumberValue()
                : readValue(parser, path + "[" + index + "]");
    }

    private static @Nullable Object readValue(JsonParser parser, String path) throws IOException {
        JsonToken token = parser.currentToken();
        if (token == JsonToken.VALUE_TRUE || token == JsonToken.VALUE_FALSE) {
            return parser.getBooleanValue();
        }
        return switch (token) {
            case START_OBJECT -> new JsonObject(readObject(parser, path));
            case START_ARRAY -> new JsonArray(readArray(parser, path));
            case VALUE_STRING -> clean(path, parser.getText());
            case VALUE_NUMBER_INT -> parser.getNumberValue();
            case VALUE_NUMBER_FLOAT -> finite(path, parser.getDoubleValue());
            case VALUE_NULL -> null;
            default -> throw new FailureException(FailureCode.INVALID_JSON, "not valid JSON");
        };
    }

    private static String clean(String path, String text) {
        TextRules.requireClean(path, text);
        return text;
    }

    private static Double finite(String path, double value) {
        if (!Double.isFinite(value)) {
            throw FailureException.ofField(FailureCode.INVALID_FIELD, path, "a number beyond what a double holds");
        }
        return value;
    }
}
