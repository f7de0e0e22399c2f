package io.recallgate.embedding;

import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.concurrent.Callable;

/**
 * Looks at large inputs on worker threads, since a megabyte takes milliseconds. Bounded in bytes: what waits here is not
 * in the queue yet. Confined to the pool's context.
 */
final class LargeWork {

    /** Below this, a look is not worth a change of threads: it takes about a millisecond. */
    static final long LARGE_BYTES = 128 * 1024;

    private final Vertx vertx;
    private final long maxBytes;
    private long bytes;

    /**
     * @param maxBytes of inputs looked at and waiting for it, counted as what they hold at most; one request alone may
     *     count more, since what it holds is not known before
     */
    LargeWork(Vertx vertx, long maxBytes) {
        this.vertx = vertx;
        this.maxBytes = maxBytes;
    }

    /** The most bytes that one request may hold. */
    long maxBytes() {
        return maxBytes;
    }

    /** Runs {@code look} on a worker thread; fails with {@code overloaded}, or with what it throws. */
    <T> Future<T> run(long most, Callable<T> look) {
        if (bytes > 0 && bytes + most > maxBytes) {
            return Future.failedFuture(new FailureException(FailureCode.OVERLOADED, "too many large inputs at once")
                    .retryAfter(Duration.ofSeconds(1)));
        }
        bytes += most;
        return vertx.executeBlocking(look, false).onComplete(done -> bytes -= most);
    }
}
