package io.recallgate.gateway.conversation.prepare;

import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import io.recallgate.time.CancelCause;
import io.recallgate.time.CancelSignal;
import io.recallgate.time.Deadline;
import io.vertx.core.AsyncResult;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Work that several callers may want at once and that is done once. Each caller has an interest and a deadline of its own. One who
 * leaves is answered and takes only its own interest along; when the last one has left, the work is cancelled. The work is
 * done by the deadline of whoever began it, and nobody with an earlier one joins it, so that everybody is answered in time.
 * When that deadline cuts it short, those who have more time go on together with what they have; so it lives as long as the
 * longest deadline of those who want it. As many pieces of work as callers at most, so whoever bounds these bounds both.
 * Thread-safe.
 *
 * @param <K> what makes two pieces of work the same one
 * @param <V> what comes of it
 */
final class SharedWork<K, V> {

    /** Less time than this is not worth beginning anew for. */
    static final long WORTH_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final Map<K, Flight<V>> flights = new HashMap<>();
    private final Predicate<AsyncResult<V>> isCutShort;

    /** Does the work. */
    @FunctionalInterface
    interface Work<V> {
        /**
         * Begins.
         *
         * @param deadline by when it answers
         * @param nobodyWaits fires when nobody wants it any more
         */
        Future<V> begin(Deadline deadline, CancelSignal nobodyWaits);
    }

    private static final class Flight<V> {
        private final CancelSignal cancel = new CancelSignal();
        private final Deadline deadline;
        private final List<Waiter<V>> waiters = new ArrayList<>();

        private Flight(Deadline deadline) {
            this.deadline = deadline;
        }
    }

    private static final class Waiter<V> {
        private final Deadline deadline;
        private final Promise<V> answer = Promise.promise();
        private CancelSignal.Registration registration = () -> {};
        /** Whose work it waits for; null once it is answered. */
        private @Nullable Flight<V> flight;

        private Waiter(Deadline deadline) {
            this.deadline = deadline;
        }
    }

    /** @param isCutShort whether what came of the work is less than it would be with more time */
    SharedWork(Predicate<AsyncResult<V>> isCutShort) {
        this.isCutShort = isCutShort;
    }

    /**
     * Joins the work that is going on for {@code key}, or begins it.
     *
     * @param deadline of this caller; the work is trusted to answer by it
     * @param leaves fires when this caller gives up
     * @return completes on the thread that the work ends on, or fails with {@code cancelled} on the one that {@code leaves}
     *     fires on
     */
    Future<V> join(K key, Deadline deadline, CancelSignal leaves, Work<V> work) {
        Waiter<V> mine = new Waiter<>(deadline);
        Flight<V> begun = null;
        synchronized (this) {
            Flight<V> going = flights.get(key);
            if (going == null || deadline.isBefore(going.deadline)) {
                begun = new Flight<>(deadline);
                flights.put(key, begun);
                going = begun;
            }
            going.waiters.add(mine);
            mine.flight = going;
        }
        // May fire at once: then the work is not even begun.
        mine.registration = leaves.onCancel(cause -> leave(key, mine));
        mine.answer.future().onComplete(answered -> mine.registration.remove());
        if (begun != null) {
            begin(key, begun, work);
        }
        return mine.answer.future();
    }

    private void begin(K key, Flight<V> flight, Work<V> work) {
        // Somebody else may have joined in the meantime, even if whoever came first has left.
        if (flight.cancel.isCancelled()) {
            return;
        }
        Future<V> result;
        try {
            result = work.begin(flight.deadline, flight.cancel);
        } catch (RuntimeException e) {
            result = Future.failedFuture(e);
        }
        result.onComplete(done -> end(key, flight, work, done));
    }

    private void end(K key, Flight<V> flight, Work<V> work, AsyncResult<V> done) {
        List<Waiter<V>> answered = new ArrayList<>();
        Flight<V> next = null;
        synchronized (this) {
            List<Waiter<V>> longer = isCutShort.test(done) ? longer(flight) : List.of();
            for (Waiter<V> waiter : flight.waiters) {
                if (!longer.contains(waiter)) {
                    waiter.flight = null;
                    answered.add(waiter);
                }
            }
            flights.remove(key, flight);
            if (!longer.isEmpty()) {
                next = new Flight<>(longer.get(0).deadline);
                for (Waiter<V> waiter : longer) {
                    waiter.flight = next;
                    next.waiters.add(waiter);
                }
                flights.putIfAbsent(key, next);
            }
        }
        answered.forEach(waiter -> waiter.answer.handle(done));
        if (next != null) {
            begin(key, next, work);
        }
    }

    /** Those who have time for another try, the one with the least first. */
    private List<Waiter<V>> longer(Flight<V> flight) {
        return flight.waiters.stream()
                .filter(waiter -> waiter.deadline.atNanos() - flight.deadline.atNanos() >= WORTH_NANOS
                        && waiter.deadline.remainingNanos() >= WORTH_NANOS)
                .sorted(Comparator.comparingLong(waiter -> waiter.deadline.remainingNanos()))
                .toList();
    }

    private void leave(K key, Waiter<V> waiter) {
        Flight<V> left;
        boolean last;
        synchronized (this) {
            left = waiter.flight;
            if (left == null) {
                return;
            }
            waiter.flight = null;
            left.waiters.remove(waiter);
            last = left.waiters.isEmpty();
            if (last) {
                // Whoever comes now begins anew: this one is as good as over.
                flights.remove(key, left);
            }
        }
        if (last) {
            left.cancel.cancel(CancelCause.SUPERSEDED);
        }
        waiter.answer.fail(new FailureException(FailureCode.CANCELLED, "nobody waits for it any more"));
    }

    synchronized int size() {
        return flights.size();
    }
}
