package io.recallgate.bench.pool;

import static io.recallgate.bench.pool.PoolUnderTest.await;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/**
 * The way of a query through threads with nothing done on any of them: the caller's event loop, a thread of its own, and
 * back. What is left of an overhead beside this is work.
 */
final class ThreadHops implements AutoCloseable {

    /**
     * From the caller to the worker's thread, since an event loop may not run a model, and back: a caller is answered on
     * its own context.
     */
    static final int CHANGES = 2;

    private final PoolUnderTest pool;
    private final ExecutorService worker = Executors.newSingleThreadExecutor();

    ThreadHops(PoolUnderTest pool) {
        this.pool = pool;
    }

    Samples measure(int count, long pauseMillis) throws Exception {
        Samples millis = new Samples();
        for (int i = 0; i < count; i++) {
            pool.nextCaller();
            await(pool.pause(pauseMillis));
            millis.add(await(pool.onCaller(this::there)));
        }
        return millis;
    }

    private Future<Double> there() {
        long start = System.nanoTime();
        Promise<Double> back = Promise.promise();
        Context caller = pool.caller();
        worker.execute(() -> {
            busy();
            caller.runOnContext(home -> back.complete((System.nanoTime() - start) / 1e6 - BUSY_NANOS / 1e6));
        });
        return back.future();
    }

    /** About as long as a short run, so that the other threads fall asleep as they do then. */
    private static final long BUSY_NANOS = TimeUnit.MILLISECONDS.toNanos(3);

    private static void busy() {
        long end = System.nanoTime() + BUSY_NANOS;
        while (System.nanoTime() - end < 0) {
            Thread.onSpinWait();
        }
    }

    @Override
    public void close() {
        worker.shutdown();
    }
}
