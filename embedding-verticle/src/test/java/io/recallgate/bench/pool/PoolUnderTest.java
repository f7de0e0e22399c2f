package io.recallgate.bench.pool;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.recallgate.embedding.EmbeddingOptions;
import io.recallgate.embedding.EmbeddingVerticle;
import io.recallgate.embedding.api.EmbedInput;
import io.recallgate.embedding.api.EmbedRequest;
import io.recallgate.embedding.api.EmbedResult;
import io.recallgate.embedding.api.InputType;
import io.recallgate.embedding.api.Priority;
import io.recallgate.embedding.model.RealModel;
import io.recallgate.embedding.pool.PoolLimits;
import io.recallgate.time.CancelSignal;
import io.recallgate.time.Deadline;
import io.recallgate.time.SystemClock;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.internal.VertxInternal;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

/**
 * The whole pool with two workers, used as a gateway uses it: as many event loops as cores, one of them the pool's, and
 * requests that come on each of them in turn, since there is an HTTP acceptor on every one.
 */
final class PoolUnderTest implements AutoCloseable {

    static final int WORKERS = 2;

    /** No request comes near it, also where the whole benchmark is held up meanwhile. */
    private static final long DEADLINE_MILLIS = 600_000;

    /** Rows of a slice, at most. */
    static final int ROWS = 8;

    private static final int EVENT_LOOPS = Math.max(2, Runtime.getRuntime().availableProcessors());

    private final Vertx vertx = Vertx.vertx(new VertxOptions().setEventLoopPoolSize(EVENT_LOOPS));
    private final List<Context> callers = new ArrayList<>();
    private volatile Context caller;
    private int turn;
    private final WatchedModels models = new WatchedModels();
    private final EmbeddingVerticle verticle;
    private final AtomicLong ids = new AtomicLong();

    /** A pool with the default bounds. */
    PoolUnderTest() throws Exception {
        this(PoolLimits.defaults(WORKERS));
    }

    PoolUnderTest(PoolLimits limits) throws Exception {
        for (int i = 0; i < EVENT_LOOPS; i++) {
            // Event loops are given out in turn.
            callers.add(((VertxInternal) vertx).createEventLoopContext());
        }
        caller = callers.get(0);
        verticle = new EmbeddingVerticle(
                EmbeddingOptions.defaults(RealModel.NAME, RealModel.dataDirectory(), limits.slots())
                        .withLimits(limits)
                        .withoutPublicAddresses(),
                new SimpleMeterRegistry(),
                models,
                SystemClock.INSTANCE);
        await(vertx.deployVerticle(verticle));
        await(verticle.ready());
        // The second worker starts once the first has shown that the model loads.
        awaitAll("idle");
    }

    WatchedModels models() {
        return models;
    }

    Future<EmbedResult> documents(List<String> texts, CancelSignal cancel) {
        return embed(texts, InputType.DOCUMENT, Priority.DOCUMENT, cancel);
    }

    Future<EmbedResult> query(String text, CancelSignal cancel) {
        return embed(List.of(text), InputType.QUERY, Priority.QUERY, cancel);
    }

    private Future<EmbedResult> embed(List<String> texts, InputType type, Priority priority, CancelSignal cancel) {
        return verticle.embedder()
                .embed(new EmbedRequest(
                        "bench-" + ids.incrementAndGet(),
                        texts.stream().<EmbedInput>map(EmbedInput.Text::new).toList(),
                        type,
                        priority,
                        Deadline.afterMillis(SystemClock.INSTANCE, DEADLINE_MILLIS),
                        cancel));
    }

    /** Runs {@code work} on the caller's event loop. */
    <T> Future<T> onCaller(Supplier<Future<T>> work) {
        Promise<T> promise = Promise.promise();
        caller.runOnContext(ignored -> {
            try {
                work.get().onComplete(promise);
            } catch (RuntimeException e) {
                promise.fail(e);
            }
        });
        return promise.future();
    }

    /** What {@link #onCaller} runs on. */
    Context caller() {
        return caller;
    }

    /** Callers are on the next event loop from now on. */
    void nextCaller() {
        turn = (turn + 1) % callers.size();
        caller = callers.get(turn);
    }

    /** Completes after this time, on the caller's event loop. */
    Future<Void> pause(long millis) {
        return onCaller(() -> vertx.timer(millis, TimeUnit.MILLISECONDS).mapEmpty());
    }

    JsonArray slots() throws Exception {
        return status().getJsonArray("slots");
    }

    JsonObject status() throws Exception {
        return await(verticle.operations().status());
    }

    static <T> T await(Future<T> future) throws Exception {
        return future.toCompletionStage().toCompletableFuture().get(10, TimeUnit.MINUTES);
    }

    /** What the pool has counted so far under this name. */
    long counted(String name) throws Exception {
        return status().getJsonObject("counters").getLong(name, 0L);
    }

    /** What the pool takes its first worker to hold. */
    long chargedBytes() throws Exception {
        return slots().getJsonObject(0).getLong("charged_bytes");
    }

    List<Long> generations() throws Exception {
        return slots().stream()
                .map(slot -> ((JsonObject) slot).getLong("generation"))
                .toList();
    }

    /** Whether every worker is in this state. */
    boolean all(String state) throws Exception {
        return slots().stream()
                .allMatch(slot -> ((JsonObject) slot).getString("state").equals(state));
    }

    void awaitAll(String state) throws Exception {
        while (!all(state)) {
            TimeUnit.MICROSECONDS.sleep(500);
        }
    }

    /** Whether it ended as it should is what the process's exit shows. */
    @Override
    public void close() {
        verticle.shutdown(Deadline.afterMillis(SystemClock.INSTANCE, 20_000))
                .eventually(vertx::close)
                .toCompletionStage()
                .toCompletableFuture()
                .join();
    }
}
