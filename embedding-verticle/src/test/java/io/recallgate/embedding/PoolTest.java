package io.recallgate.embedding;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.recallgate.embedding.api.EmbedInput;
import io.recallgate.embedding.api.EmbedRequest;
import io.recallgate.embedding.api.EmbedResult;
import io.recallgate.embedding.api.Embedder;
import io.recallgate.embedding.api.InputType;
import io.recallgate.embedding.api.Priority;
import io.recallgate.embedding.pool.PoolLimits;
import io.recallgate.time.CancelSignal;
import io.recallgate.time.Deadline;
import io.recallgate.time.FakeClock;
import io.recallgate.time.SystemClock;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;

/** A pool of scripted models on a real Vert.x, and words to speak about it. */
@Timeout(240)
abstract class PoolTest {

    final ScriptedModels models = new ScriptedModels();
    final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final AtomicInteger ids = new AtomicInteger();
    Vertx vertx;

    @SuppressWarnings("NullAway.Init") // by the test itself, with the limits it wants
    EmbeddingVerticle pool;

    @BeforeEach
    void openVertx() {
        vertx = Vertx.vertx();
    }

    @AfterEach
    void closeVertx() {
        join(vertx.close());
    }

    /** Deploys a pool and waits until all its workers are warm. */
    final void deploy(int workers) {
        deploy(PoolLimits.defaults(workers));
        awaitStatus(status -> states(status).allMatch("idle"::equals));
    }

    final void deploy(PoolLimits limits) {
        pool = new EmbeddingVerticle(options(limits), registry, models, SystemClock.INSTANCE);
        join(vertx.deployVerticle(pool));
    }

    /** Deploys a pool in which time passes when the test says so, and waits until all its workers are warm. */
    final void deploy(FakeClock clock, PoolLimits limits) {
        pool = new EmbeddingVerticle(
                options(limits),
                registry,
                models,
                clock,
                new EmbeddingVerticle.Machine(context -> clock, MemoryBudget::read));
        join(vertx.deployVerticle(pool));
        awaitStatus(status -> states(status).allMatch("idle"::equals));
    }

    private static EmbeddingOptions options(PoolLimits limits) {
        return new EmbeddingOptions("scripted", Path.of("unused"), limits, true);
    }

    /** Defaults with spans short enough to wait for. */
    static PoolLimits impatient(int workers, Duration watchdog) {
        PoolLimits limits = PoolLimits.defaults(workers);
        return new PoolLimits(
                limits.slots(),
                limits.expectedWorkerBytes(),
                limits.queue(),
                limits.slice(),
                new PoolLimits.Watchdogs(watchdog, watchdog, watchdog, watchdog, watchdog, watchdog),
                limits.retry(),
                limits.retention());
    }

    final Future<EmbedResult> embed(String... texts) {
        return pool.embedder().embed(request(new CancelSignal(), texts));
    }

    final EmbedRequest request(CancelSignal cancel, String... texts) {
        return new EmbedRequest(
                "r" + ids.incrementAndGet(),
                Stream.of(texts).<EmbedInput>map(EmbedInput.Text::new).toList(),
                InputType.DOCUMENT,
                Priority.QUERY,
                Deadline.afterMillis(SystemClock.INSTANCE, 600_000),
                cancel);
    }

    static EmbedResult embed(Embedder embedder, EmbedRequest request) {
        return join(embedder.embed(request));
    }

    final JsonObject status() {
        return join(pool.operations().status());
    }

    final JsonObject slot(int index) {
        return status().getJsonArray("slots").getJsonObject(index);
    }

    static Stream<String> states(JsonObject status) {
        return status.getJsonArray("slots").stream().map(slot -> ((JsonObject) slot).getString("state"));
    }

    /** Asks until the answer fits; bounded by the test's timeout. Each question is a round trip, so nothing spins. */
    final void awaitStatus(Predicate<JsonObject> fits) {
        while (!fits.test(status())) {
            Thread.onSpinWait();
        }
    }

    static <T> T join(Future<T> future) {
        try {
            return future.toCompletionStage().toCompletableFuture().get(60, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof RuntimeException runtime ? runtime : new IllegalStateException(e.getCause());
        } catch (InterruptedException | TimeoutException e) {
            throw new IllegalStateException(e);
        }
    }

    static List<Integer> generations(JsonObject status) {
        return status.getJsonArray("slots").stream()
                .map(slot -> ((JsonObject) slot).getInteger("generation"))
                .toList();
    }
}
