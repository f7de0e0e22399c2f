package io.recallgate.gateway.http.json;

import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.WorkerExecutor;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Where JSON is read and written: small bodies on the calling event loop, large ones on two threads of their own behind
 * a bounded queue. Thread-safe.
 */
public final class JsonWorkers {

    /** From this size on JSON leaves the event loop (ARCHITECTURE §6.7): 256 KiB take about 2 ms. */
    public static final long LARGE_BYTES = 256 * 1024;

    private static final int THREADS = 2;

    /** A queue of 128 full bodies would hold the whole body budget several times over: more is overload. */
    private static final int MAX_QUEUED = 128;

    private final WorkerExecutor executor;
    private final AtomicInteger queued = new AtomicInteger();

    /** @param vertx whose worker threads are used; the pool is shared by all routers of that instance */
    public JsonWorkers(Vertx vertx) {
        executor = vertx.createSharedWorkerExecutor("recallgate-http-json", THREADS, 1, TimeUnit.MINUTES);
    }

    /**
     * Runs {@code work} here if it is small, on a worker if it is large.
     *
     * @param estimatedBytes of JSON that the work reads or writes
     * @return fails as the work does, or with {@code overloaded}
     */
    public <T> Future<T> run(long estimatedBytes, Callable<T> work) {
        if (estimatedBytes < LARGE_BYTES) {
            try {
                return Future.succeededFuture(work.call());
            } catch (Exception e) {
                return Future.failedFuture(e);
            }
        }
        if (queued.incrementAndGet() > MAX_QUEUED) {
            queued.decrementAndGet();
            return Future.failedFuture(
                    new FailureException(FailureCode.OVERLOADED, "too many large bodies are being decoded")
                            .retryAfter(Duration.ofSeconds(1)));
        }
        return executor.executeBlocking(work, false).onComplete(done -> queued.decrementAndGet());
    }

    /** Gives the threads back once nobody else uses them. */
    public Future<Void> close() {
        return executor.close();
    }
}
