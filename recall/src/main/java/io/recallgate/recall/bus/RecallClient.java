package io.recallgate.recall.bus;

import io.recallgate.embedding.bus.FailureReply;
import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import io.recallgate.recall.api.MemoryDraft;
import io.recallgate.recall.api.MemoryKind;
import io.recallgate.recall.api.MemoryState;
import io.recallgate.recall.api.RecallRequest;
import io.recallgate.recall.api.Scope;
import io.recallgate.recall.api.StoredMemory;
import io.recallgate.recall.json.MemoryJson;
import io.recallgate.recall.json.RecallJson;
import io.recallgate.time.Deadline;
import io.recallgate.trace.CallContext;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/**
 * Remembers and recalls over the event bus. Thread-safe. Every future fails with a {@link FailureException}: the
 * service's own, {@code deadline-exceeded} when no answer came, {@code not-ready} when nobody serves the address.
 */
public final class RecallClient {

    /** The service answers at the deadline itself; the bus gives up a little later, when nobody is there to answer. */
    private static final long GRACE_MILLIS = 100;

    private final Vertx vertx;

    /** @param vertx whose event bus is used */
    public RecallClient(Vertx vertx) {
        this.vertx = vertx;
    }

    /** Stores all drafts or none; one entry for each, in order. */
    public Future<List<StoredMemory>> remember(Scope scope, List<MemoryDraft> drafts, Deadline deadline) {
        JsonArray array = new JsonArray();
        drafts.forEach(draft -> array.add(MemoryJson.object(draft)));
        JsonObject body = scoped(scope).put("memories", array);
        return request(RecallEndpoint.REMEMBER, body, deadline).map(RecallClient::stored);
    }

    /** Recalls; the request's cancel signal only makes this side stop waiting at its deadline. */
    public Future<RecallAnswer> recall(Scope scope, RecallRequest request) {
        JsonArray kinds = new JsonArray();
        request.kinds().stream().map(MemoryKind::wireName).sorted().forEach(kinds::add);
        JsonObject body = scoped(scope)
                .put("query", request.query())
                .put("mode", request.mode().wireName())
                .put("limit", request.limit())
                .put("session", request.session())
                .put("kinds", kinds)
                .put("explain", request.explain())
                .put("include_superseded", request.includeSuperseded())
                .put("memo", request.memo());
        return request(RecallEndpoint.RECALL, body, request.deadline()).map(RecallAnswer::of);
    }

    private Future<JsonObject> request(String address, JsonObject body, Deadline deadline) {
        long millis = Math.min(deadline.remainingMillis(), RecallJson.MAX_DEADLINE_MILLIS);
        if (millis < 1) {
            return Future.failedFuture(
                    new FailureException(FailureCode.DEADLINE_EXCEEDED, "the deadline has passed; nothing was sent"));
        }
        DeliveryOptions options = new DeliveryOptions()
                .setSendTimeout(millis + GRACE_MILLIS)
                .addHeader(RecallEndpoint.DEADLINE_HEADER, Long.toString(millis));
        CallContext call = CallContext.current();
        if (call != null) {
            call.tellOurs(options.getHeaders());
        }
        return vertx.eventBus()
                .<JsonObject>request(address, body, options)
                .map(message -> message.body())
                .recover(error -> Future.failedFuture(FailureReply.decode(error, FailureCode.NOT_READY)));
    }

    private static JsonObject scoped(Scope scope) {
        JsonObject body = new JsonObject().put("owner", scope.owner());
        return scope.project().isEmpty() ? body : body.put("project", scope.project());
    }

    private static List<StoredMemory> stored(JsonObject body) {
        List<StoredMemory> memories = new ArrayList<>();
        JsonArray array = body.getJsonArray("memories");
        for (int i = 0; i < array.size(); i++) {
            JsonObject json = array.getJsonObject(i);
            memories.add(new StoredMemory(
                    UUID.fromString(json.getString("id")),
                    json.getString("external_id"),
                    MemoryState.valueOf(RecallAnswer.constant(json.getString("state"))),
                    json.getString("content_hash"),
                    StoredMemory.Change.valueOf(RecallAnswer.constant(json.getString("change")))));
        }
        return memories;
    }
}
