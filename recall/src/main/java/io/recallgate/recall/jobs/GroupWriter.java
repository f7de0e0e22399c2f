package io.recallgate.recall.jobs;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.function.Function;
import java.util.function.ToLongFunction;

/**
 * Writes together what comes while a write is under way: one write at a time, and nothing waits while there is none. Each
 * item has an outcome of its own, so that what one of a group meets need not befall the others. Thread-safe. What waits
 * is bounded by whoever adds: here each job in flight adds one thing at a time.
 */
final class GroupWriter<T, R> {

    private final Bounds bounds;
    private final ToLongFunction<T> bytes;
    private final Function<List<T>, List<Future<R>>> write;

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
     * @param write returns an outcome for each item, in their order; the next write begins when all have come. If it
     *     throws, all have failed
     */
    GroupWriter(Bounds bounds, ToLongFunction<T> bytes, Function<List<T>, List<Future<R>>> write) {
        this.bounds = bounds;
        this.bytes = bytes;
        this.write = write;
    }

    /** Completes with the outcome of the item, once the group that it gets into is being written. */
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
        List<Future<R>> outcomes = write(group.stream().map(Waiting::item).toList());
        for (int i = 0; i < group.size(); i++) {
            outcomes.get(i).onComplete(group.get(i).promise());
        }
        Future.join(outcomes).onComplete(ignored -> writeNext());
    }

    private List<Future<R>> write(List<T> items) {
        try {
            List<Future<R>> outcomes = write.apply(items);
            if (outcomes.size() != items.size()) {
                throw new IllegalStateException(outcomes.size() + " outcomes of " + items.size() + " items");
            }
            return outcomes;
        } catch (RuntimeException e) {
            return Collections.nCopies(items.size(), Future.failedFuture(e));
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
