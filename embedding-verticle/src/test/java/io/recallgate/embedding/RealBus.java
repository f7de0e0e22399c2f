package io.recallgate.embedding;

import static io.recallgate.embedding.PoolTest.join;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.recallgate.embedding.api.EmbeddingVector;
import io.recallgate.embedding.model.RealModel;
import io.recallgate.embedding.pool.PoolLimits;
import io.recallgate.failure.FailureCode;
import io.recallgate.time.FakeClock;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.ReplyException;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Predicate;

/** A pool of real models that is spoken to over the real bus alone, in the JSON of its public addresses. */
final class RealBus implements AutoCloseable {

    /** A text of the model's whole window. */
    static final String LONG = "word ".repeat(600);

    /** Far below the bounds of work that a sibling may be at. */
    private static final Duration COOLING_STEP = Duration.ofMillis(25);

    private static final long WAIT_SECONDS = 100;

    final Vertx vertx = Vertx.vertx();
    final FakeClock clock;
    final GatedModels models;
    final BusTap tap = new BusTap(vertx);
    private final List<JsonObject> events = Collections.synchronizedList(new ArrayList<>());

    RealBus(GatedModels models, PoolLimits limits) {
        this(RealModel.NAME, models, limits);
    }

    /** Time passes when the test says so: a machine that halts for a moment expires nothing. */
    RealBus(String model, GatedModels models, PoolLimits limits) {
        this.models = models;
        this.clock = new FakeClock();
        vertx.eventBus().<JsonObject>consumer("recallgate.events", message -> events.add(message.body()));
        join(vertx.deployVerticle(new EmbeddingVerticle(
                EmbeddingOptions.defaults(model, RealModel.dataDirectory(), limits.slots())
                        .withLimits(limits),
                new SimpleMeterRegistry(),
                models,
                clock,
                new EmbeddingVerticle.Machine(context -> clock, MemoryBudget::read))));
    }

    /** With all workers warm, on the documented bounds. */
    static RealBus warm(GatedModels models, int workers) {
        return new RealBus(models, PoolLimits.defaults(workers)).awaitIdle();
    }

    /** The documented bounds with other watchdogs. */
    static PoolLimits watched(int workers, PoolLimits.Watchdogs watchdogs) {
        return watched(workers, watchdogs, 16);
    }

    /** @param rows of a slice, each of 512 tokens at most */
    static PoolLimits watched(int workers, PoolLimits.Watchdogs watchdogs, int rows) {
        PoolLimits limits = PoolLimits.defaults(workers);
        return new PoolLimits(
                workers,
                limits.expectedWorkerBytes(),
                limits.queue(),
                new PoolLimits.Slice(rows, rows * 512, 256),
                watchdogs,
                new PoolLimits.Retry(List.of(Duration.ofMillis(50)), Duration.ofMinutes(15)),
                limits.retention());
    }

    /** Lets a span pass as often as is needed until the answer fits. */
    void passUntil(Duration span, Predicate<JsonObject> fits) {
        while (!fits.test(status())) {
            clock.advance(span);
        }
    }

    RealBus awaitIdle() {
        awaitStatus(status -> PoolTest.states(status).allMatch("idle"::equals));
        return this;
    }

    static JsonObject body(String id, String... texts) {
        return new JsonObject().put("id", id).put("texts", new JsonArray(List.of(texts)));
    }

    /** As many times the same text. */
    static String[] times(int rows, String text) {
        return Collections.nCopies(rows, text).toArray(String[]::new);
    }

    Future<JsonObject> embed(String id, String... texts) {
        return send("recallgate.embed", body(id, texts));
    }

    List<EmbeddingVector> vectors(String id, String... texts) {
        return vectors(get(embed(id, texts)));
    }

    static List<EmbeddingVector> vectors(JsonObject reply) {
        return reply.getJsonArray("vectors").stream()
                .map(text -> EmbeddingVector.ofLittleEndian(Base64.getDecoder().decode((String) text)))
                .toList();
    }

    /** What the cancellation found. */
    String cancel(String id) {
        return get(send("recallgate.embed.cancel", new JsonObject().put("id", id)))
                .getString("outcome");
    }

    Future<JsonObject> send(String address, JsonObject body) {
        return vertx.eventBus()
                .<JsonObject>request(
                        address, body, new DeliveryOptions().setSendTimeout(TimeUnit.SECONDS.toMillis(WAIT_SECONDS)))
                .map(message -> message.body());
    }

    JsonObject status() {
        return get(send("recallgate.status", new JsonObject()));
    }

    /**
     * Asks until the answer fits; bounded by the test's timeout. Each question is a round trip, so nothing spins. Time
     * passes only while a slot waits for its next start.
     */
    void awaitStatus(Predicate<JsonObject> fits) {
        for (JsonObject status = status(); !fits.test(status); status = status()) {
            if (PoolTest.states(status).anyMatch("cooling"::equals)) {
                clock.advance(COOLING_STEP);
            }
        }
    }

    int waiters() {
        return status().getJsonObject("queue").getInteger("waiters");
    }

    long dropped(String kind) {
        return status().getJsonObject("dropped").getLong(kind, 0L);
    }

    long counter(String name) {
        return status().getJsonObject("counters").getLong(name, 0L);
    }

    List<Integer> generations() {
        return PoolTest.generations(status());
    }

    List<JsonObject> events(String type) {
        synchronized (events) {
            return events.stream()
                    .filter(event -> type.equals(event.getString("type")))
                    .toList();
        }
    }

    static <T> T get(Future<T> future) {
        try {
            return future.toCompletionStage().toCompletableFuture().get(WAIT_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            throw new CompletionException(e.getCause());
        } catch (InterruptedException | TimeoutException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The typed body with which a request fails; its number is checked. */
    static JsonObject failure(Future<?> future, FailureCode code) {
        JsonObject body = failure(future);
        if (!code.code().equals(body.getString("code"))) {
            throw new AssertionError("expected " + code.code() + " and not " + body);
        }
        return body;
    }

    static JsonObject failure(Future<?> future) {
        CompletableFuture<?> answer = future.toCompletionStage().toCompletableFuture();
        try {
            throw new AssertionError("answered: " + answer.get(WAIT_SECONDS, TimeUnit.SECONDS));
        } catch (ExecutionException e) {
            if (!(e.getCause() instanceof ReplyException reply)) {
                throw new AssertionError("no typed failure", e.getCause());
            }
            JsonObject body = new JsonObject(reply.getMessage());
            if (FailureCode.ofNumber(reply.failureCode())
                    .filter(code -> code.code().equals(body.getString("code")))
                    .isEmpty()) {
                throw new AssertionError("the number " + reply.failureCode() + " is not that of " + body);
            }
            return body;
        } catch (InterruptedException | TimeoutException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        get(vertx.close());
    }
}
