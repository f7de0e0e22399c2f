package io.recallgate.recall.jobs;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.Function;
import java.util.function.ToLongFunction;

/**
 * Writes together what comes while a write is under way: one write at a time, and nothing waits while there is none.
 * Thread-safe. What waits is bounded by whoever adds: here each job in flight adds one thing at a time.
 */
final class GroupWriter<T, R> {

    private final Bounds bounds;
    private final ToLongFunction<T> bytes;
    private final Function<List<T>, Future<List<R>>> write;

    private final Deque<Waiting<T, R>> waiting = new ArrayDeque<>();
    private boolean writing;

    /**
     * Of one group.
     *
     * @param items at most, at least 1
     * @param bytes from which on nothing more is added
     */
    record Bounds(int items, long bytes) {}

    private record Waiting<T, R>(T item, Promise<R> promise) {}

    /**
     * Writes nothing yet.
     *
     * @param bytes of an item
     * @param write its result has an entry for each item, in their order; if it fails, all have failed
     */
    GroupWriter(Bounds bounds, ToLongFunction<T> bytes, Function<List<T>, Future<List<R>>> write) {
        this.bounds = bounds;
        this.bytes = bytes;
        this.write = write;
    }

    /** Completes with the result for the item once the group that it gets into is written. */
    Future<R> add(T item) {
        Promise<R> promise = Promise.promise();
        synchronized (this) {
            waiting.addLast(new Waiting<>(item, promise));
            if (writing) {
                return promise.future();
            }
            writing = true;
        }
        // What settles in one slice arrives in one go: the group is closed behind it.
        Context context = Vertx.currentContext();
        if (context == null) {
            writeNext();
        } else {
            context.runOnContext(ignored -> writeNext());
        }
        return promise.future();
    }

    private void writeNext() {
        List<Waiting<T, R>> group = take();
        if (group.isEmpty()) {
            return;
        }
        write(group.stream().map(Waiting::item).toList()).onComplete(outcome -> {
            for (int i = 0; i < group.size(); i++) {
                if (outcome.succeeded()) {
                    group.get(i).promise().complete(outcome.result().get(i));
                } else {
                    group.get(i).promise().fail(outcome.cause());
                }
            }
            writeNext();
        });
    }

    private Future<List<R>> write(List<T> items) {
        try {
            return write.apply(items);
        } catch (RuntimeException e) {
            return Future.failedFuture(e);
        }
    }

    private synchronized List<Waiting<T, R>> take() {
        List<Waiting<T, R>> group = new ArrayList<>();
        long sum = 0;
        while (!waiting.isEmpty() && group.size() < bounds.items() && sum < bounds.bytes()) {
            Waiting<T, R> next = waiting.removeFirst();
            sum += bytes.applyAsLong(next.item());
            group.add(next);
        }
        writing = !group.isEmpty();
        return group;
    }
}
