package io.recallgate.recall.json;

import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.format.DateTimeParseException;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The fields of one object, read strictly: a wrong type, a value out of range and an unknown field are refused with
 * their path. Null counts as absent.
 */
public final class JsonFields {

    private static final Pattern RFC_3339 =
            Pattern.compile("\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}(\\.\\d{1,9})?(Z|[+-]\\d{2}:\\d{2})");

    private static final Pattern UUID_TEXT =
            Pattern.compile("[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}");

    private final JsonObject object;
    private final String prefix;

    /**
     * @param object what to read
     * @param path where it stands, such as {@code memories[3]}; empty for the body itself
     */
    public JsonFields(JsonObject object, String path) {
        this.object = object;
        this.prefix = path.isEmpty() ? "" : path + ".";
    }

    /**
     * Refuses every field that is not known.
     *
     * @throws FailureException {@code unknown-field}
     */
    public void only(Set<String> known) {
        for (String name : object.fieldNames()) {
            if (!known.contains(name)) {
                String field = path(name.length() > 100 ? name.substring(0, 100) : name);
                throw FailureException.ofField(
                        FailureCode.UNKNOWN_FIELD,
                        field,
                        field + " is not known here; known are "
                                + known.stream().sorted().collect(Collectors.joining(", ")));
            }
        }
    }

    /** The path of a field of this object. */
    public String path(String name) {
        return prefix + name;
    }

    /** Whether the field is there and not null. */
    public boolean has(String name) {
        return object.getValue(name) != null;
    }

    /** A clean text without a bound of its own, null when absent. */
    public @Nullable String text(String name) {
        Object value = object.getValue(name);
        if (value == null) {
            return null;
        }
        if (!(value instanceof String text)) {
            throw invalid(name, "must be a string");
        }
        TextRules.requireClean(path(name), text);
        return text;
    }

    /** A clean text of 1 to {@code maxChars} characters, null when absent. */
    public @Nullable String name(String name, int maxChars) {
        String text = text(name);
        if (text != null && (text.isEmpty() || text.length() > maxChars)) {
            throw invalid(name, "must have 1 to " + maxChars + " characters");
        }
        return text;
    }

    /** An id as we write them, null when absent. */
    public @Nullable UUID uuid(String name) {
        String text = text(name);
        if (text == null) {
            return null;
        }
        // fromString also takes short forms such as 1-1-1-1-1.
        if (!UUID_TEXT.matcher(text).matches()) {
            throw invalid(name, "must be an id such as 01890a5d-ac96-774b-bcce-b302099a8057");
        }
        return UUID.fromString(text);
    }

    /** A whole number in the range, null when absent. */
    public @Nullable Integer integer(String name, int min, int max) {
        Object value = object.getValue(name);
        if (value == null) {
            return null;
        }
        boolean whole = value instanceof Integer || value instanceof Long;
        long number = whole ? ((Number) value).longValue() : 0;
        if (!whole || number < min || number > max) {
            throw invalid(name, "must be a whole number from " + min + " to " + max);
        }
        return (int) number;
    }

    /** True or false, {@code otherwise} when absent. */
    public boolean flag(String name, boolean otherwise) {
        Object value = object.getValue(name);
        if (value == null) {
            return otherwise;
        }
        if (!(value instanceof Boolean flag)) {
            throw invalid(name, "must be true or false");
        }
        return flag;
    }

    /** One of the constants by its wire name, null when absent. */
    public <E extends Enum<E>> @Nullable E choice(String name, E[] constants, Function<E, String> wireName) {
        Object value = object.getValue(name);
        return value == null ? null : choiceOf(path(name), value, constants, wireName);
    }

    /** An instant of RFC 3339 with its offset, in microseconds as the database keeps it, null when absent. */
    public @Nullable Instant instant(String name) {
        String text = text(name);
        if (text == null) {
            return null;
        }
        String upper = text.toUpperCase(Locale.ROOT);
        if (RFC_3339.matcher(upper).matches()) {
            try {
                return OffsetDateTime.parse(upper).toInstant().truncatedTo(ChronoUnit.MICROS);
            } catch (DateTimeParseException e) {
                throw badInstant(name).causedBy(e);
            }
        }
        throw badInstant(name);
    }

    /** An object, empty when absent. Its content is unchecked. */
    public JsonObject object(String name) {
        Object value = object.getValue(name);
        if (value == null) {
            return new JsonObject();
        }
        if (value instanceof Map<?, ?> map) {
            return new JsonObject(stringKeys(map));
        }
        if (!(value instanceof JsonObject json)) {
            throw invalid(name, "must be an object");
        }
        return json;
    }

    /** An array, null when absent. Its content is unchecked. */
    public @Nullable JsonArray array(String name) {
        Object value = object.getValue(name);
        if (value == null) {
            return null;
        }
        if (!(value instanceof JsonArray array)) {
            throw invalid(name, "must be an array");
        }
        return array;
    }

    /** {@code invalid-field} about a field of this object. */
    public FailureException invalid(String name, String must) {
        return FailureException.ofField(FailureCode.INVALID_FIELD, path(name), path(name) + " " + must);
    }

    /** The constant with this wire name. */
    static <E extends Enum<E>> E choiceOf(String path, Object value, E[] constants, Function<E, String> wireName) {
        for (E constant : constants) {
            if (wireName.apply(constant).equals(value)) {
                return constant;
            }
        }
        throw FailureException.ofField(
                FailureCode.INVALID_FIELD,
                path,
                path + " must be one of " + Stream.of(constants).map(wireName).collect(Collectors.joining(", ")));
    }

    private FailureException badInstant(String name) {
        return invalid(name, "must be a time of RFC 3339 with an offset, such as 2026-05-08T13:56:00Z");
    }

    private static Map<String, Object> stringKeys(Map<?, ?> map) {
        Map<String, Object> copy = new LinkedHashMap<>();
        map.forEach((key, value) -> copy.put(String.valueOf(key), value));
        return copy;
    }
}
