package io.recallgate.gateway.cli.importing;

import io.recallgate.gateway.cli.conversation.SourceItem;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;

/**
 * What an import did.
 *
 * @param accepted memories the gateway has now: the sum of stored, updated and unchanged
 * @param stored new ones
 * @param updated those that existed and changed
 * @param unchanged those that existed just so
 * @param rejected the first damaged or refused ones, at most {@link #MAX_LISTED}
 * @param rejectedCount all of them
 * @param seconds how long it took
 */
public record ImportReport(
        long accepted,
        long stored,
        long updated,
        long unchanged,
        List<SourceItem.Damaged> rejected,
        long rejectedCount,
        double seconds) {

    /** More would bury the message; the count is whole. */
    public static final int MAX_LISTED = 100;

    /** Copies the list. */
    public ImportReport {
        rejected = List.copyOf(rejected);
    }

    /** One line for scripts, in the shape of the last line of {@code POST /v1/memories/import}. */
    public JsonObject toJson() {
        JsonArray list = new JsonArray();
        for (SourceItem.Damaged one : rejected) {
            JsonObject entry = new JsonObject();
            if (one.line().isPresent()) {
                entry.put("line", one.line().getAsLong());
            } else {
                entry.put("place", one.place());
            }
            list.add(entry.put("code", one.code()).put("detail", one.detail()));
        }
        return new JsonObject()
                .put("done", true)
                .put("accepted", accepted)
                .put("stored", stored)
                .put("updated", updated)
                .put("unchanged", unchanged)
                .put("rejected", list)
                .put("rejected_count", rejectedCount)
                .put("seconds", Math.round(seconds * 1_000) / 1_000.0);
    }
}
