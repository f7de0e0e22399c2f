package io.recallgate.recall.jobs;

import io.recallgate.time.Timers;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Writes together what comes while a write is under way, or while more is expected: one write at a time, and nothing
 * waits when neither is the case. Each item has an outcome of its own, so that what one of a group meets need not befall
 * the others. Thread-safe. What waits is bounded by whoever adds: here each job in flight adds one thing at a time.
 */
final class GroupWriter<T, R> {

    private final Bounds bounds;
    private final Timers timers;
    private final ToLongFunction<T> bytes;
    private final Function<List<T>, List<Future<R>>> write;

    /** Guarded by this, as are the following. */
    private final Deque<Waiting<T, R>> waiting = new ArrayDeque<>();

    private long waitingBytes;
    private int expected;
    private boolean writing;
    private boolean waitedEnough;
    private Timers.@Nullable Timer wait;

    /**
     * Of one group.
     *
     * @param items at most, at least 1
     * @param bytes from which on nothing more is added
     * @param waitMillis how long it may wait for what is expected, 0 for not at all
     */
    record Bounds(int items, long bytes, long waitMillis) {}

    private record Waiting<T, R>(T item, Promise<R> promise) {}

    /**
     * Writes nothing yet.
     *
     * @param timers end a group's wait
     * @param bytes of an item
     * @param write returns an outcome for each item, in their order; the next write begins when all have come. If it
     *     throws, all have failed
     */
    GroupWriter(Bounds bounds, Timers timers, ToLongFunction<T> bytes, Function<List<T>, List<Future<R>>> write) {
        this.bounds = bounds;
        this.timers = timers;
        this.bytes = bytes;
        this.write = write;
    }

    /** One more item may come soon; {@link #expectOneLess} must follow once it has come, or will not. */
    synchronized void expectOneMore() {
        expected++;
    }

    /** What was expected has been added, or is not going to be. */
    void expectOneLess() {
        synchronized (this) {
            expected--;
        }
        consider();
    }

    /** Completes with the outcome of the item, once the group that it gets into is being written. */
    Future<R> add(T item) {
        Promise<R> promise = Promise.promise();
        synchronized (this) {
            waiting.addLast(new Waiting<>(item, promise));
            waitingBytes += bytes.applyAsLong(item);
        }
        consider();
        return promise.future();
    }

    /** Begins the next write, or the wait for a larger one, if either is due. */
    private void consider() {
        synchronized (this) {
            if (writing || waiting.isEmpty()) {
                return;
            }
            if (isWorthWaiting()) {
                if (wait == null) {
                    wait = timers.schedule(TimeUnit.MILLISECONDS.toNanos(bounds.waitMillis()), this::waited);
                }
                return;
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
    }

    private boolean isWorthWaiting() {
        return expected > 0
                && bounds.waitMillis() > 0
                && !waitedEnough
                && waiting.size() < bounds.items()
                && waitingBytes < bounds.bytes();
    }

    private void waited() {
        synchronized (this) {
            wait = null;
            waitedEnough = true;
        }
        consider();
    }

    private void writeNext() {
        List<Waiting<T, R>> group = take();
        List<Future<R>> outcomes = write(group.stream().map(Waiting::item).toList());
        for (int i = 0; i < group.size(); i++) {
            outcomes.get(i).onComplete(group.get(i).promise());
        }
        Future.join(outcomes).onComplete(ignored -> {
            synchronized (this) {
                writing = false;
            }
            consider();
        });
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
        waitingBytes -= sum;
        waitedEnough = false;
        if (wait != null) {
            wait.cancel();
            wait = null;
        }
        return group;
    }
}
