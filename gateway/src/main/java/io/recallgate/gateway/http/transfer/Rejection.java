package io.recallgate.gateway.http.transfer;

import io.recallgate.failure.FailureCode;
import io.vertx.core.json.JsonObject;

/**
 * A line that was not kept.
 *
 * @param line its number, counted from 1
 * @param code what is wrong
 * @param detail the same in a sentence
 */
record Rejection(long line, FailureCode code, String detail) {

    JsonObject toJson() {
        return new JsonObject().put("line", line).put("code", code.code()).put("detail", detail);
    }
}
