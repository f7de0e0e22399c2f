package io.recallgate.gateway.cli.importing;

import io.recallgate.gateway.cli.client.GatewayClient;
import io.vertx.core.json.JsonObject;

/**
 * The embedding jobs of the client's project.
 *
 * @param remaining not ended yet
 * @param done ended well, as far as they are still kept
 * @param failed given up
 */
public record JobCounts(long remaining, long done, long failed) {

    /** Asks {@code GET /v1/jobs}. */
    public static JobCounts of(GatewayClient client) {
        return parse(client.get("/v1/jobs").jsonOrFail());
    }

    static JobCounts parse(JsonObject answer) {
        JsonObject counts = answer.getValue("counts") instanceof JsonObject object ? object : new JsonObject();
        return new JobCounts(
                count(counts, "available") + count(counts, "running") + count(counts, "retryable"),
                count(counts, "done"),
                count(counts, "failed"));
    }

    private static long count(JsonObject counts, String state) {
        return counts.getValue(state) instanceof Number number ? number.longValue() : 0;
    }
}
