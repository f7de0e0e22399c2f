package io.recallgate.gateway.http.transfer;

import io.recallgate.failure.FailureException;
import io.recallgate.recall.api.StoredMemory;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.List;

/** What an import has done so far, and how it tells. Owned by the request's event loop. */
final class ImportCounts {

    /** More would bury the message; the count is whole. */
    static final int MAX_LISTED = 100;

    private final TransferMetrics metrics;
    private final List<Rejection> listed = new ArrayList<>();
    private long rejected;
    private long stored;
    private long updated;
    private long unchanged;
    private long lines;

    /** @param metrics that count the same for all imports together */
    ImportCounts(TransferMetrics metrics) {
        this.metrics = metrics;
    }

    /** Lines up to this one are stored or rejected. */
    void reached(long line) {
        lines = Math.max(lines, line);
    }

    void reject(Rejection rejection) {
        rejected++;
        metrics.rejected();
        if (listed.size() < MAX_LISTED) {
            listed.add(rejection);
        }
    }

    void count(ParsedBatch.Item item, StoredMemory memory) {
        switch (memory.change()) {
            case STORED -> countStored();
            case UPDATED -> {
                updated++;
                metrics.updated();
            }
            case UNCHANGED -> {
                if (item.named()) {
                    unchanged++;
                    metrics.unchanged();
                } else {
                    // Only the first try of this very write can have stored it; its answer was lost.
                    countStored();
                }
            }
        }
    }

    private void countStored() {
        stored++;
        metrics.stored();
    }

    /** Whether nothing has come of it yet. */
    boolean isNothing() {
        return stored + updated + unchanged + rejected == 0;
    }

    /** One line on the way. */
    Buffer progress() {
        return line(counts().put("rejected_count", rejected));
    }

    /** The last line of an import that was read to its end. */
    Buffer done() {
        return line(new JsonObject().put("done", true).mergeIn(counts()).mergeIn(rejections()));
    }

    /** The last line of one that was not. */
    Buffer failed(FailureException failure) {
        return line(new JsonObject()
                .put("done", false)
                .put("code", failure.code().code())
                .put("detail", failure.detail())
                .mergeIn(counts())
                .mergeIn(rejections()));
    }

    private JsonObject counts() {
        return new JsonObject()
                .put("lines", lines)
                .put("stored", stored)
                .put("updated", updated)
                .put("unchanged", unchanged);
    }

    private JsonObject rejections() {
        JsonArray list = new JsonArray();
        listed.forEach(rejection -> list.add(rejection.toJson()));
        return new JsonObject()
                .put("rejected", list)
                .put("rejected_count", rejected)
                .put("rejected_truncated", rejected > listed.size());
    }

    private static Buffer line(JsonObject object) {
        return object.toBuffer().appendByte((byte) '\n');
    }
}
