package io.recallgate.recall.bus;

import io.recallgate.embedding.bus.FailureReply;
import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import io.recallgate.recall.api.MemoryService;
import io.recallgate.recall.api.RecallResponse;
import io.recallgate.recall.api.RecallService;
import io.recallgate.recall.api.Scope;
import io.recallgate.recall.json.JsonFields;
import io.recallgate.recall.json.MemoryJson;
import io.recallgate.recall.json.RecallJson;
import io.recallgate.time.CancelSignal;
import io.recallgate.time.Clock;
import io.recallgate.time.Deadline;
import io.recallgate.trace.CallContext;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.eventbus.Message;
import io.vertx.core.eventbus.MessageConsumer;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;

/**
 * Serves {@link #REMEMBER} and {@link #RECALL}: bodies as over HTTP, plus {@code owner} and {@code project}. Every
 * message is answered; a failure as {@link FailureReply} has it. Registered on the context that calls {@link #register}.
 */
public final class RecallEndpoint {

    /** Stores memories. */
    public static final String REMEMBER = "recallgate.remember";

    /** Recalls memories. */
    public static final String RECALL = "recallgate.recall";

    /** Header with the milliseconds that the sender waits, 1 to {@link RecallJson#MAX_DEADLINE_MILLIS}. */
    public static final String DEADLINE_HEADER = "deadline_ms";

    /** How long the bus itself waits for a reply by default: an answer after that reaches nobody. */
    private static final long DEFAULT_DEADLINE_MILLIS = 30_000;

    private final Vertx vertx;
    private final MemoryService memories;
    private final RecallService recall;
    private final Clock clock;
    private final List<MessageConsumer<Object>> consumers = new ArrayList<>();

    /** @param clock deadlines are made on */
    public RecallEndpoint(Vertx vertx, MemoryService memories, RecallService recall, Clock clock) {
        this.vertx = vertx;
        this.memories = memories;
        this.recall = recall;
        this.clock = clock;
    }

    /** Registers the consumers, once; completes when they are known to the cluster. */
    public Future<Void> register() {
        MessageConsumer<Object> remembers =
                vertx.eventBus().consumer(REMEMBER, message -> serve(message, this::remember));
        MessageConsumer<Object> recalls = vertx.eventBus().consumer(RECALL, message -> serve(message, this::recall));
        consumers.add(remembers);
        consumers.add(recalls);
        return Future.all(remembers.completion(), recalls.completion()).mapEmpty();
    }

    /** Unregisters them. Idempotent. */
    public Future<Void> close() {
        List<Future<Void>> closed =
                consumers.stream().map(MessageConsumer::unregister).toList();
        consumers.clear();
        return Future.join(closed).mapEmpty();
    }

    private void serve(Message<Object> message, BiFunction<JsonObject, Deadline, Future<JsonObject>> route) {
        CallContext.enter(message.headers());
        Future<JsonObject> answer;
        try {
            if (!(message.body() instanceof JsonObject body)) {
                throw new FailureException(FailureCode.INVALID_JSON, "the body must be a JSON object");
            }
            answer = route.apply(body, deadline(message));
        } catch (RuntimeException | Error e) {
            answer = Future.failedFuture(e);
        }
        answer.onComplete(message::reply, error -> FailureReply.send(message, error));
    }

    private Future<JsonObject> remember(JsonObject body, Deadline deadline) {
        Scope scope = scope(body);
        // Up to a thousand memories are checked: too much for an event loop.
        return vertx.executeBlocking(() -> MemoryJson.drafts(withoutScope(body)), false)
                .compose(drafts -> memories.remember(scope, drafts, deadline))
                .map(MemoryJson::stored);
    }

    private Future<JsonObject> recall(JsonObject body, Deadline deadline) {
        return recall.recall(scope(body), RecallJson.request(withoutScope(body), deadline, new CancelSignal()))
                .map(RecallResponse::toJson);
    }

    private Deadline deadline(Message<Object> message) {
        String header = message.headers().get(DEADLINE_HEADER);
        if (header == null) {
            return Deadline.afterMillis(clock, DEFAULT_DEADLINE_MILLIS);
        }
        if (!header.matches("[1-9][0-9]{0,6}") || Integer.parseInt(header) > RecallJson.MAX_DEADLINE_MILLIS) {
            throw FailureException.ofField(
                    FailureCode.INVALID_FIELD,
                    DEADLINE_HEADER,
                    "the header deadline_ms must be a whole number from 1 to " + RecallJson.MAX_DEADLINE_MILLIS);
        }
        return Deadline.afterMillis(clock, Integer.parseInt(header));
    }

    private static Scope scope(JsonObject body) {
        JsonFields fields = new JsonFields(body, "");
        String owner = fields.name("owner", 200);
        if (owner == null) {
            throw fields.invalid("owner", "is missing");
        }
        if (owner.equals(Scope.PROBE_OWNER)) {
            throw fields.invalid("owner", "is the gateway's own");
        }
        String project = fields.name("project", 200);
        CallContext call = CallContext.current();
        if (call != null) {
            call.ownedBy(owner).enter();
        }
        return new Scope(owner, project == null ? "" : project);
    }

    private static JsonObject withoutScope(JsonObject body) {
        Map<String, Object> fields = new LinkedHashMap<>(body.getMap());
        fields.remove("owner");
        fields.remove("project");
        return new JsonObject(fields);
    }
}
