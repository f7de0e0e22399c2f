package io.recallgate.embedding.bus;

import io.recallgate.embedding.api.EmbedResult;
import io.recallgate.embedding.api.WorkerOperations;
import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import io.recallgate.time.CancelCause;
import io.recallgate.time.CancelSignal;
import io.recallgate.time.Clock;
import io.recallgate.trace.CallContext;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.eventbus.Message;
import io.vertx.core.json.JsonObject;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves {@code recallgate.embed}, {@code recallgate.embed.cancel} and {@code recallgate.status}. Registered on, and
 * confined to, the context of the verticle that makes it. Every message is answered, also one that a handler fails on.
 */
public final class EmbedEndpoint {

    private static final Logger log = LoggerFactory.getLogger(EmbedEndpoint.class);

    /** Above this, messages are read and written on a worker thread. */
    private static final long LARGE_BYTES = 256 * 1024;

    /** Answered requests that a late cancellation is told about, and cancellations that came before their request. */
    private static final int REMEMBERED = 1_000;

    /** How long a request may be behind its own cancellation; two messages of one caller are not that far apart. */
    private static final long OVERTAKING_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final Vertx vertx;
    private final CancellableEmbedder embedder;
    private final WorkerOperations workers;
    private final Clock clock;
    private final Map<Key, Live> live = new HashMap<>();
    private final Map<Key, Long> settled = new Recent();
    /** When a cancellation came that found nothing. */
    private final Map<Key, Long> overtaking = new Recent();

    /** @param clock on which deadlines are made */
    public EmbedEndpoint(Vertx vertx, CancellableEmbedder embedder, WorkerOperations workers, Clock clock) {
        this.vertx = vertx;
        this.embedder = embedder;
        this.workers = workers;
        this.clock = clock;
    }

    /** Registers the consumers; they end with the verticle on whose context this is called. */
    public Future<Void> register() {
        return Future.all(
                        vertx.eventBus()
                                .consumer(EmbedMessages.EMBED, message -> answered(message, () -> embed(message)))
                                .completion(),
                        vertx.eventBus()
                                .consumer(EmbedMessages.CANCEL, message -> answered(message, () -> cancel(message)))
                                .completion(),
                        vertx.eventBus()
                                .consumer(EmbedMessages.STATUS, message -> answered(message, () -> status(message)))
                                .completion())
                .mapEmpty();
    }

    private void answered(Message<Object> message, Callable<Future<JsonObject>> serve) {
        CallContext.enter(message.headers());
        Future<JsonObject> answer;
        try {
            answer = serve.call();
        } catch (Exception | Error e) {
            answer = Future.failedFuture(e);
        }
        answer.onSuccess(message::reply).onFailure(error -> {
            if (!(error instanceof FailureException)) {
                log.error("a message to {} failed", message.address(), error);
            }
            FailureReply.send(message, error);
        });
    }

    private Future<JsonObject> embed(Message<Object> message) {
        JsonObject body = body(message);
        String id = EmbedMessages.id(body);
        Key key = key(message, id);
        if (wasOvertaken(key)) {
            settled.put(key, clock.nanoTime());
            throw new FailureException(FailureCode.CANCELLED, "the caller cancelled before the request arrived");
        }
        Live request = new Live();
        if (live.putIfAbsent(key, request) != null) {
            throw FailureException.ofField(
                    FailureCode.CONFLICT, "id", "a request with this id is being served; give each its own");
        }
        // The deadline starts when the message is read, wherever its decoding runs.
        return sized(EmbedMessages.sizeOf(body), () -> EmbedMessages.request(body, request.signal, clock))
                .compose(decoded -> {
                    request.submitted = true;
                    return embedder.embed(decoded);
                })
                .recover(error -> Future.failedFuture(EmbedMessages.asWritten(error, body)))
                .compose(result -> sized(sizeOf(result), () -> EmbedMessages.encode(id, result)))
                .onComplete(done -> {
                    live.remove(key, request);
                    settled.put(key, clock.nanoTime());
                });
    }

    private boolean wasOvertaken(Key key) {
        Long since = overtaking.remove(key);
        return since != null && clock.nanoTime() - since < OVERTAKING_NANOS;
    }

    private Future<JsonObject> cancel(Message<Object> message) {
        JsonObject body = body(message);
        EmbedMessages.requireOnly(body, Set.of("id"));
        String id = EmbedMessages.id(body);
        return cancel(key(message, id))
                .map(found -> new JsonObject().put("id", id).put("outcome", found.code()));
    }

    private Future<CancelOutcome> cancel(Key key) {
        // From here on the id is free: its caller is answered, and may use it again before that answer has arrived.
        Live request = live.remove(key);
        if (request == null) {
            if (settled.containsKey(key)) {
                return Future.succeededFuture(CancelOutcome.SETTLED);
            }
            overtaking.put(key, clock.nanoTime());
            return Future.succeededFuture(CancelOutcome.UNKNOWN);
        }
        settled.put(key, clock.nanoTime());
        if (request.submitted) {
            return embedder.cancel(request.signal);
        }
        request.signal.cancel(CancelCause.CALLER);
        return Future.succeededFuture(CancelOutcome.CANCELLED);
    }

    private Future<JsonObject> status(Message<Object> message) {
        EmbedMessages.requireOnly(body(message), Set.of());
        return workers.status();
    }

    private <T> Future<T> sized(long bytes, Callable<T> work) {
        if (bytes > LARGE_BYTES) {
            return vertx.executeBlocking(work, false);
        }
        try {
            return Future.succeededFuture(work.call());
        } catch (Exception | Error e) {
            return Future.failedFuture(e);
        }
    }

    private static long sizeOf(EmbedResult result) {
        return (long) result.vectors().size() * result.model().dimensions() * Float.BYTES;
    }

    private static JsonObject body(Message<Object> message) {
        if (message.body() instanceof JsonObject body) {
            return body;
        }
        throw new FailureException(FailureCode.INVALID_JSON, "the body must be a JSON object");
    }

    private static Key key(Message<Object> message, String id) {
        String client = message.headers().get(EmbedMessages.CLIENT);
        return new Key(client == null ? "" : client, id);
    }

    /** A request id in the scope of its client. */
    private record Key(String client, String id) {}

    /** A request that has no answer yet. */
    private static final class Live {
        private final CancelSignal signal = new CancelSignal();
        /** Whether the embedder has it; before, it is still being decoded. */
        private boolean submitted;
    }

    /** The latest ids and when something became of them. */
    private static final class Recent extends LinkedHashMap<Key, Long> {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Key, Long> eldest) {
            return size() > REMEMBERED;
        }
    }
}
