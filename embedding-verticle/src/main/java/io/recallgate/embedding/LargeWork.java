package io.recallgate.embedding;

import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.Executor;

/**
 * Looks at large inputs on worker threads, since a megabyte takes milliseconds. Bounded in bytes: what waits here is not
 * in the queue yet. Confined to the pool's turns.
 */
final class LargeWork {

    /** Below this, a look is not worth a change of threads: it takes about a millisecond. */
    static final long LARGE_BYTES = 128 * 1024;

    private final Context context;
    private final Executor turns;
    private final long maxBytes;
    private long bytes;

    /**
     * @param context whose worker threads look
     * @param turns what completes is told there
     * @param maxBytes of inputs looked at and waiting for it, counted as what they hold at most; one request alone may
     *     count more, since what it holds is not known before
     */
    LargeWork(Context context, Executor turns, long maxBytes) {
        this.context = context;
        this.turns = turns;
        this.maxBytes = maxBytes;
    }

    /** The most bytes that one request may hold. */
    long maxBytes() {
        return maxBytes;
    }

    /** Runs {@code look} on a worker thread; fails with {@code overloaded}, or with what it throws. Completes in a turn. */
    <T> Future<T> run(long most, Callable<T> look) {
        if (bytes > 0 && bytes + most > maxBytes) {
            return Future.failedFuture(new FailureException(FailureCode.OVERLOADED, "too many large inputs at once")
                    .retryAfter(Duration.ofSeconds(1)));
        }
        bytes += most;
        Promise<T> answer = Promise.promise();
        OffLoop.run(context, look)
                .onComplete(done -> turns.execute(() -> {
                    bytes -= most;
                    answer.handle(done);
                }));
        return answer.future();
    }
}
