package io.recallgate.gateway.conversation.prepare;

import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import io.recallgate.time.CancelCause;
import io.recallgate.time.CancelSignal;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;

/**
 * Work that several callers may want at once and that is done once. Each caller has an interest of its own: one who leaves is
 * answered and takes only its own interest along; when the last one has left, the work is cancelled. As many pieces of work
 * as callers at most, so whoever bounds these bounds both. Thread-safe.
 *
 * @param <K> what makes two pieces of work the same one
 * @param <V> what comes of it
 */
final class SharedWork<K, V> {

    private final Map<K, Flight<V>> flights = new HashMap<>();

    private static final class Flight<V> {
        private final CancelSignal cancel = new CancelSignal();
        private final Promise<V> result = Promise.promise();
        private int interested = 1;
    }

    /**
     * Joins the work that is going on for {@code key}, or begins it.
     *
     * @param leaves fires when this caller gives up
     * @param begin does the work; its signal fires when nobody wants it any more
     * @return completes on the thread that the work ends on, or fails with {@code cancelled} on the one that {@code leaves}
     *     fires on
     */
    Future<V> join(K key, CancelSignal leaves, Function<CancelSignal, Future<V>> begin) {
        Flight<V> flight;
        boolean first;
        synchronized (this) {
            Flight<V> going = flights.get(key);
            first = going == null;
            if (going == null) {
                flight = new Flight<>();
                flights.put(key, flight);
            } else {
                flight = going;
                flight.interested++;
            }
        }
        Promise<V> mine = Promise.promise();
        AtomicBoolean over = new AtomicBoolean();
        CancelSignal.Registration registration = leaves.onCancel(cause -> {
            if (over.compareAndSet(false, true)) {
                leave(key, flight);
                mine.fail(new FailureException(FailureCode.CANCELLED, "nobody waits for it any more"));
            }
        });
        flight.result.future().onComplete(done -> {
            if (over.compareAndSet(false, true)) {
                registration.remove();
                mine.handle(done);
            }
        });
        // Somebody else may have joined in the meantime, even if this caller had left before it came.
        if (first && !flight.cancel.isCancelled()) {
            begin(key, flight, begin);
        }
        return mine.future();
    }

    private void begin(K key, Flight<V> flight, Function<CancelSignal, Future<V>> begin) {
        Future<V> work;
        try {
            work = begin.apply(flight.cancel);
        } catch (RuntimeException e) {
            work = Future.failedFuture(e);
        }
        work.onComplete(done -> {
            end(key, flight);
            flight.result.handle(done);
        });
    }

    private void leave(K key, Flight<V> flight) {
        synchronized (this) {
            flight.interested--;
            if (flight.interested > 0) {
                return;
            }
            // Whoever comes now begins anew: this one is as good as over.
            flights.remove(key, flight);
        }
        flight.cancel.cancel(CancelCause.SUPERSEDED);
    }

    private synchronized void end(K key, Flight<V> flight) {
        flights.remove(key, flight);
    }

    synchronized int size() {
        return flights.size();
    }
}
