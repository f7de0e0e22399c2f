package io.recallgate.embedding;

import io.vertx.core.Context;
import io.vertx.core.Future;
import java.util.concurrent.Callable;

/** What takes too long for an event loop or a turn of the pool. */
final class OffLoop {

    private OffLoop() {}

    /**
     * Runs {@code work} on a worker thread of this context, in no order with other such work. After Vert.x has closed,
     * when there is no thread for it, that is a failure of its answer: whoever counts it as under way is always told.
     */
    static <T> Future<T> run(Context context, Callable<T> work) {
        try {
            return context.executeBlocking(work, false);
        } catch (RuntimeException closed) {
            return Future.failedFuture(closed);
        }
    }
}
