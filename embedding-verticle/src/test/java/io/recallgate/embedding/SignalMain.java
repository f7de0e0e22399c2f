package io.recallgate.embedding;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.recallgate.embedding.api.EmbedInput;
import io.recallgate.embedding.api.EmbedRequest;
import io.recallgate.embedding.api.InputType;
import io.recallgate.embedding.api.Priority;
import io.recallgate.embedding.model.NativeModelFactory;
import io.recallgate.embedding.model.StuckInside;
import io.recallgate.embedding.model.TextModelFactory;
import io.recallgate.embedding.pool.PoolLimits;
import io.recallgate.time.CancelSignal;
import io.recallgate.time.Deadline;
import io.recallgate.time.SystemClock;
import io.vertx.core.Vertx;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A process as a launcher makes it, to be killed by {@link SignalTest}: signals first, then the pool; prints a line
 * when the scene is set.
 */
public final class SignalMain {

    private static final Duration DRAIN = Duration.ofMillis(500);

    private SignalMain() {}

    /** @param args scene ({@code running}, {@code loading}, {@code stuck}) and data directory */
    public static void main(String[] args) throws Exception {
        String scene = args[0];
        Path data = Path.of(args[1]);
        Vertx vertx = Vertx.vertx();
        TextModelFactory models = scene.equals("loading") ? endlessLoads(data) : new NativeModelFactory(data);
        PoolLimits limits = PoolTest.impatient(2, DRAIN);
        EmbeddingVerticle pool = new EmbeddingVerticle(
                new EmbeddingOptions("e5-small-v2-q", data, withPatience(limits), true),
                new SimpleMeterRegistry(),
                models,
                SystemClock.INSTANCE);
        // Only what never returns is waited for as long as that: a slow machine must not look stuck.
        long boundMillis = scene.equals("stuck") ? 1_500 : 60_000;
        ProcessSignals.install(status -> stop(pool, status, boundMillis));
        PoolTest.join(vertx.deployVerticle(pool));
        if (scene.equals("loading")) {
            return;
        }
        PoolTest.join(pool.ready());
        if (scene.equals("stuck")) {
            StuckInside.enter();
        }
        for (int i = 0; i < 8; i++) {
            keepBusy(pool, i);
        }
        System.out.println("READY");
    }

    private static void stop(EmbeddingVerticle pool, int status, long boundMillis) {
        System.out.println("STOPPING " + status);
        Deadline deadline = Deadline.afterMillis(SystemClock.INSTANCE, boundMillis);
        try {
            pool.shutdown(deadline)
                    .toCompletionStage()
                    .toCompletableFuture()
                    .get(boundMillis + 2_000, TimeUnit.MILLISECONDS);
        } catch (InterruptedException | ExecutionException | TimeoutException e) {
            System.out.println("no report: " + e);
        }
        // A time of its own: the pool may have used all of its.
        ProcessSignals.endProcess(status, Deadline.afterMillis(SystemClock.INSTANCE, boundMillis));
    }

    /** Loads one session after the other, so that a signal nearly always meets one being created. */
    private static TextModelFactory endlessLoads(Path data) {
        NativeModelFactory real = new NativeModelFactory(data);
        CountDownLatch once = new CountDownLatch(1);
        return model -> {
            while (true) {
                real.open(model).close();
                if (once.getCount() > 0) {
                    once.countDown();
                    System.out.println("READY");
                }
            }
        };
    }

    private static void keepBusy(EmbeddingVerticle pool, int number) {
        EmbedRequest request = new EmbedRequest(
                "busy-" + number,
                List.<EmbedInput>copyOf(
                        Collections.nCopies(32, new EmbedInput.Text("busy " + number + " " + "word ".repeat(500)))),
                InputType.DOCUMENT,
                Priority.DOCUMENT,
                Deadline.afterMillis(SystemClock.INSTANCE, 600_000),
                new CancelSignal());
        pool.embedder().embed(request).onSuccess(done -> keepBusy(pool, number));
    }

    /** The watchdogs of work stay long: only the end is to be quick. */
    private static PoolLimits withPatience(PoolLimits limits) {
        PoolLimits.Watchdogs quick = limits.watchdogs();
        return new PoolLimits(
                limits.slots(),
                limits.expectedWorkerBytes(),
                limits.queue(),
                limits.slice(),
                new PoolLimits.Watchdogs(
                        Duration.ofMinutes(10),
                        Duration.ofSeconds(30),
                        Duration.ofMinutes(5),
                        quick.terminationGrace(),
                        quick.exitGrace(),
                        quick.drain()),
                limits.retry(),
                limits.retention());
    }
}
