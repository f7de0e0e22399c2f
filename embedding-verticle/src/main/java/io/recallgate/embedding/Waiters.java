package io.recallgate.embedding;

import io.recallgate.caller.Caller;
import io.recallgate.embedding.api.EmbedResult;
import io.recallgate.embedding.pool.WaiterOutcome;
import io.recallgate.time.CancelSignal;
import io.vertx.core.Promise;
import java.util.HashMap;
import java.util.Map;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** Callers that have not been answered, by their number. Confined to the pool's turns. */
final class Waiters {

    private final Map<Long, Waiter> waiting = new HashMap<>();

    void add(long number, Waiter waiter) {
        waiting.put(number, waiter);
    }

    /**
     * Answers one; whoever was answered before is not found.
     *
     * @return whether it was still waiting
     */
    boolean settle(long number, WaiterOutcome outcome) {
        Waiter waiter = waiting.remove(number);
        if (waiter == null) {
            return false;
        }
        CancelSignal.Registration registration = waiter.registration;
        if (registration != null) {
            registration.remove();
        }
        waiter.answer(outcome);
        return true;
    }

    boolean isWaiting(long number) {
        return waiting.containsKey(number);
    }

    OptionalLong numberOf(CancelSignal signal) {
        return waiting.entrySet().stream()
                .filter(entry -> entry.getValue().signal == signal)
                .mapToLong(Map.Entry::getKey)
                .findFirst();
    }

    int size() {
        return waiting.size();
    }

    /** One caller. Settles once, by whoever comes first: its own cancellation or the pool. */
    static final class Waiter {
        private final CancelSignal signal;
        private final Promise<EmbedResult> promise;
        private final Caller caller;
        private CancelSignal.@Nullable Registration registration;

        Waiter(CancelSignal signal, Promise<EmbedResult> promise, Caller caller) {
            this.signal = signal;
            this.promise = promise;
            this.caller = caller;
        }

        /**
         * Listens for the caller's own cancellation from now on; at once, if it has fired. Such a caller need not wait
         * for the pool, whose turn may be long in coming on a machine that is busy with runs: it is answered first, and
         * what the pool decides finds it answered.
         *
         * @param tellPool tells the pool; on the thread that cancels
         */
        void listen(Runnable tellPool) {
            registration = signal.onCancel(cause -> {
                tellPool.run();
                answer(WaiterOutcome.Failure.gaveUp(cause));
            });
        }

        private void answer(WaiterOutcome outcome) {
            caller.answer(() -> complete(outcome));
        }

        private void complete(WaiterOutcome outcome) {
            if (outcome instanceof WaiterOutcome.Success success) {
                promise.tryComplete(success.result());
            } else if (outcome instanceof WaiterOutcome.Failure failure) {
                promise.tryFail(failure.failure());
            }
        }
    }
}
