package io.recallgate.recall.json;

import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import io.recallgate.recall.api.JobReport;
import io.recallgate.recall.api.MemoryKind;
import io.recallgate.recall.api.RecallMode;
import io.recallgate.recall.api.RecallRequest;
import io.recallgate.time.CancelSignal;
import io.recallgate.time.Deadline;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Recall requests and job reports in JSON. */
public final class RecallJson {

    /** The most bytes of UTF-8 in a query. */
    public static final int MAX_QUERY_BYTES = 1 << 20;

    /** The longest {@code deadline_ms}: an hour is beyond any turn. */
    public static final int MAX_DEADLINE_MILLIS = 3_600_000;

    private static final Set<String> FIELDS = Set.of(
            "query", "mode", "limit", "session", "kinds", "deadline_ms", "explain", "include_superseded", "memo");

    private RecallJson() {}

    /**
     * A recall request.
     *
     * @param deadline of the request that carries it; {@code deadline_ms} can only bring it forward
     * @param cancel fires when the caller gives up
     * @throws FailureException naming the field
     */
    public static RecallRequest request(JsonObject body, Deadline deadline, CancelSignal cancel) {
        JsonFields fields = new JsonFields(body, "");
        fields.only(FIELDS);
        String query = fields.text("query");
        if (query == null) {
            throw fields.invalid("query", "is missing");
        }
        if (TextRules.requireClean("query", query) > MAX_QUERY_BYTES) {
            throw FailureException.ofField(
                    FailureCode.PAYLOAD_TOO_LARGE,
                    "query",
                    "query is larger than " + MAX_QUERY_BYTES + " bytes of UTF-8");
        }
        RecallMode mode = fields.choice("mode", RecallMode.values(), RecallMode::wireName);
        Integer limit = fields.integer("limit", 1, RecallRequest.MAX_LIMIT);
        Integer deadlineMillis = fields.integer("deadline_ms", 1, MAX_DEADLINE_MILLIS);
        return new RecallRequest(
                query,
                mode == null ? RecallMode.HYBRID : mode,
                limit == null ? RecallRequest.DEFAULT_LIMIT : limit,
                fields.name("session", 200),
                kinds(fields.array("kinds")),
                fields.flag("explain", false),
                fields.flag("include_superseded", false),
                fields.flag("memo", true),
                deadlineMillis == null ? deadline : deadline.minAfterMillis(deadlineMillis),
                cancel);
    }

    /** The answer to {@code GET /v1/jobs}. */
    public static JsonObject jobs(JobReport report) {
        JsonObject counts = new JsonObject();
        report.counts().forEach(counts::put);
        JsonArray errors = new JsonArray();
        for (JobReport.JobError error : report.errors()) {
            errors.add(new JsonObject()
                    .put("memory_id", error.memoryId().toString())
                    .put("attempt", error.attempt())
                    .put("code", error.code())
                    .put("detail", error.detail())
                    .put("at", error.at().toString()));
        }
        return new JsonObject()
                .put("counts", counts)
                .put("oldest_age_ms", report.oldestAgeMillis())
                .put("errors", errors)
                .put("reembedding", reembedding(report.reembedding()));
    }

    private static @Nullable JsonObject reembedding(JobReport.@Nullable Reembedding model) {
        return model == null
                ? null
                : new JsonObject()
                        .put("fingerprint", model.fingerprint())
                        .put("memories", model.memories())
                        .put("embedded", model.embedded())
                        .put("remaining", model.remaining())
                        .put("passages", model.passages())
                        .put("incomplete", model.incomplete());
    }

    private static Set<MemoryKind> kinds(@Nullable JsonArray array) {
        EnumSet<MemoryKind> kinds = EnumSet.noneOf(MemoryKind.class);
        for (int i = 0; array != null && i < array.size(); i++) {
            Object value = array.getValue(i);
            kinds.add(JsonFields.choiceOf(
                    "kinds[" + i + "]", value == null ? "" : value, MemoryKind.values(), MemoryKind::wireName));
        }
        return kinds;
    }
}
