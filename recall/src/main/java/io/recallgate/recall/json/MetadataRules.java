package io.recallgate.recall.json;

import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Free-form JSON of a writer, bounded in depth and size and with clean text throughout. */
final class MetadataRules {

    /** Of its JSON in UTF-8. */
    static final int MAX_BYTES = 64 * 1024;

    /** Deeper nesting is no description of a memory, and every reader would have to recurse as deep. */
    static final int MAX_DEPTH = 32;

    private MetadataRules() {}

    /**
     * Checks it.
     *
     * @throws FailureException naming the field, down to the member where that is known
     */
    static JsonObject require(String path, JsonObject metadata) {
        check(path, metadata, 1);
        if (metadata.encode().getBytes(StandardCharsets.UTF_8).length > MAX_BYTES) {
            throw FailureException.ofField(
                    FailureCode.PAYLOAD_TOO_LARGE, path, path + " is larger than " + MAX_BYTES + " bytes as JSON");
        }
        return metadata;
    }

    private static void check(String path, @Nullable Object value, int depth) {
        if (depth > MAX_DEPTH) {
            throw FailureException.ofField(
                    FailureCode.INVALID_FIELD, path, path + " is nested deeper than " + MAX_DEPTH + " levels");
        }
        if (value instanceof String text) {
            TextRules.requireClean(path, text);
        } else if (value instanceof JsonObject object) {
            members(path, object.getMap(), depth);
        } else if (value instanceof Map<?, ?> map) {
            members(path, map, depth);
        } else if (value instanceof JsonArray array) {
            elements(path, array.getList(), depth);
        } else if (value instanceof List<?> list) {
            elements(path, list, depth);
        } else if (!(value == null || value instanceof Boolean || isFinite(value))) {
            throw FailureException.ofField(FailureCode.INVALID_FIELD, path, path + " is not JSON");
        }
    }

    private static void members(String path, Map<?, ?> map, int depth) {
        map.forEach((key, value) -> {
            String name = String.valueOf(key);
            TextRules.requireClean(path, name);
            // A path made of very long names would itself be the oversized thing.
            check(path.length() + name.length() > 200 ? path : path + "." + name, value, depth + 1);
        });
    }

    private static void elements(String path, List<?> list, int depth) {
        for (int i = 0; i < list.size(); i++) {
            check(path + "[" + i + "]", list.get(i), depth + 1);
        }
    }

    private static boolean isFinite(Object value) {
        return value instanceof Number number && Double.isFinite(number.doubleValue());
    }
}
