package io.recallgate.embedding;

import io.recallgate.embedding.api.EmbedResult;
import io.recallgate.embedding.pool.WaiterOutcome;
import io.recallgate.failure.FailureException;
import io.recallgate.time.CancelSignal;
import io.vertx.core.Context;
import io.vertx.core.Promise;
import java.util.HashMap;
import java.util.Map;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** Callers that have not been answered, by their number. Confined to the pool's context. */
final class Waiters {

    private final Map<Long, Waiter> waiting = new HashMap<>();

    void add(long number, Waiter waiter) {
        waiting.put(number, waiter);
    }

    /** Listens for the caller's own cancellation from now on; at once, if it has fired. */
    void listen(long number, Runnable onCancel) {
        Waiter waiter = waiting.get(number);
        if (waiter != null) {
            waiter.registration = waiter.signal.onCancel(cause -> onCancel.run());
        }
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
        if (waiter.registration != null) {
            waiter.registration.remove();
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

    /** One caller. */
    static final class Waiter {
        private final CancelSignal signal;
        private final Promise<EmbedResult> promise;
        private final @Nullable Context caller;
        private CancelSignal.@Nullable Registration registration;

        /** @param caller the context to answer on, null for a caller without one */
        Waiter(CancelSignal signal, Promise<EmbedResult> promise, @Nullable Context caller) {
            this.signal = signal;
            this.promise = promise;
            this.caller = caller;
        }

        void answer(WaiterOutcome outcome) {
            PoolDriver.answerOn(caller, () -> complete(outcome));
        }

        private void complete(WaiterOutcome outcome) {
            if (outcome instanceof WaiterOutcome.Success success) {
                promise.complete(success.result());
            } else if (outcome instanceof WaiterOutcome.Failure failure) {
                FailureException why = failure.failure();
                promise.fail(why);
            }
        }
    }
}
