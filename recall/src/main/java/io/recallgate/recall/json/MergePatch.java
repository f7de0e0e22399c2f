package io.recallgate.recall.json;

import io.vertx.core.json.JsonObject;

/** JSON merge patch, RFC 7396. */
final class MergePatch {

    private MergePatch() {}

    /** A new object: {@code target} with the members of {@code patch} merged in; null removes. */
    static JsonObject apply(JsonObject target, JsonObject patch) {
        JsonObject merged = target.copy();
        for (String name : patch.fieldNames()) {
            Object value = patch.getValue(name);
            if (value == null) {
                merged.remove(name);
            } else if (value instanceof JsonObject object) {
                Object before = merged.getValue(name);
                merged.put(name, apply(before instanceof JsonObject old ? old : new JsonObject(), object));
            } else {
                merged.put(name, value);
            }
        }
        return merged;
    }
}
