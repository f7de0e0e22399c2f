package io.recallgate.recall.api;

import io.vertx.core.json.JsonObject;

/**
 * A JSON merge patch (RFC 7396) of a memory: fields that are present change, null clears one that may be null. Already
 * checked: only known fields, each of the right type.
 *
 * @param fields as {@code PATCH /v1/memories/{id}} takes them
 */
public record MemoryPatch(JsonObject fields) {}
