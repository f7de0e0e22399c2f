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
import io.recallgate.time.CancelSignal;
import io.recallgate.time.Deadline;
import io.recallgate.time.SystemClock;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

/** The whole pool with two workers, used as a verticle on an event loop uses it. */
final class PoolUnderTest implements Contender {

    static final int WORKERS = 2;

    /** Texts of one request, as many as a slice holds. */
    static final int ROWS = 8;

    /** Requests that wait or run at any time: the workers' own and as many again. */
    private static final int IN_FLIGHT = 2 * WORKERS;

    private final Vertx vertx = Vertx.vertx();
    private final Context caller = vertx.getOrCreateContext();
    private final EmbeddingVerticle verticle = new EmbeddingVerticle(
            EmbeddingOptions.defaults(RealModel.NAME, RealModel.dataDirectory(), WORKERS)
                    .withoutPublicAddresses(),
            new SimpleMeterRegistry());
    private final AtomicLong ids = new AtomicLong();

    PoolUnderTest() throws Exception {
        await(vertx.deployVerticle(verticle));
        await(verticle.ready());
        // The second worker starts once the first has shown that the model loads.
        while (slots().stream()
                .anyMatch(slot -> !((JsonObject) slot).getString("state").equals("idle"))) {
            TimeUnit.MILLISECONDS.sleep(10);
        }
    }

    @Override
    public String name() {
        return "pool";
    }

    @Override
    public void embed(List<String> texts) throws Exception {
        Deque<List<String>> left = new ArrayDeque<>();
        for (int from = 0; from < texts.size(); from += ROWS) {
            left.add(texts.subList(from, Math.min(texts.size(), from + ROWS)));
        }
        await(onCaller(() -> {
            List<Future<?>> lanes = new ArrayList<>();
            for (int i = 0; i < IN_FLIGHT; i++) {
                lanes.add(embedNext(left));
            }
            return Future.all(lanes);
        }));
    }

    /** On the caller's context, which alone takes from {@code left}. */
    private Future<?> embedNext(Deque<List<String>> left) {
        List<String> next = left.poll();
        return next == null
                ? Future.succeededFuture()
                : documents(next, new CancelSignal()).compose(done -> embedNext(left));
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
                        Deadline.afterMillis(SystemClock.INSTANCE, 120_000),
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

    /** Completes after this time, on the caller's event loop. */
    Future<Void> pause(long millis) {
        return vertx.timer(millis, TimeUnit.MILLISECONDS).mapEmpty();
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

    @Override
    public void close() {
        try {
            await(verticle.shutdown(Deadline.afterMillis(SystemClock.INSTANCE, 20_000)));
            await(vertx.close());
        } catch (Exception e) {
            throw new IllegalStateException("the pool did not end", e);
        }
    }
}
