package io.recallgate.embedding.pool;

import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import io.recallgate.time.CancelCause;
import java.util.Optional;

/** Lets waiters in and out. Nothing here touches a worker. */
final class Admission {

    private final PoolState pool;

    Admission(PoolState pool) {
        this.pool = pool;
    }

    void submit(PoolEvent.Submit event, long now) {
        if (pool.operations.ofWaiter(event.waiter()) != null) {
            // Its first answer would be taken for the second's.
            throw new DefectException("waiter " + event.waiter() + " waits already", null);
        }
        Optional<FailureException> refusal = refusal(event, now);
        if (refusal.isPresent()) {
            refuse(event.waiter(), refusal.get());
            return;
        }
        pool.counters.count(Counters.Name.SUBMITTED);
        String given = event.digest();
        String digest = given == null ? OperationKey.digest(event.inputs()) : given;
        OperationKey key = new OperationKey(pool.edition, event.inputType(), digest);
        Operation existing = pool.operations.find(key);
        if (pool.quarantine.isFinal(key) && existing == null) {
            refuse(event.waiter(), Outcomes.givenUp());
        } else if (pool.quarantine.isHeld(key)) {
            refuse(event.waiter(), Outcomes.quarantined());
        } else if (existing != null) {
            join(existing, event);
        } else {
            begin(key, event, now);
        }
    }

    /** The waiter leaves; work that never left the host leaves with its last one. */
    void leave(long waiter, CancelCause cause, long now) {
        Operation operation = pool.operations.ofWaiter(waiter);
        if (operation == null) {
            return;
        }
        boolean goesOn = operation.state == OperationState.RUNNING && operation.waiters.size() == 1;
        FailureException why = Outcomes.gaveUp(cause);
        pool.operations.settle(waiter, new WaiterOutcome.Failure(goesOn ? why.abandoned() : why));
        if (!operation.hasWaiters() && operation.state == OperationState.QUEUED) {
            pool.retain(operation, now);
            pool.operations.transition(operation, OperationState.CANCELLED, now, "the last waiter left");
        }
    }

    private Optional<FailureException> refusal(PoolEvent.Submit event, long now) {
        if (event.cancelled() != null) {
            return Optional.of(Outcomes.gaveUp(event.cancelled()));
        }
        if (event.deadlineNanos() - now <= 0) {
            return Optional.of(Outcomes.deadline());
        }
        if (pool.closed) {
            return Optional.of(Outcomes.shuttingDown());
        }
        // Before hashing: what can never be admitted should cost nothing.
        return pool.operations
                .refusal(event.priority(), event.bytes())
                .filter(failure -> failure.code() == FailureCode.WORK_TOO_LARGE);
    }

    private void join(Operation operation, PoolEvent.Submit event) {
        if (!pool.operations.hasRoomForWaiter(operation)) {
            refuse(
                    event.waiter(),
                    Outcomes.overloaded("too many requests wait for this very input: try again a moment later"));
            return;
        }
        pool.operations.join(operation, event.waiter(), event.priority(), event.deadlineNanos());
        pool.counters.count(Counters.Name.JOINED);
    }

    private void begin(OperationKey key, PoolEvent.Submit event, long now) {
        RetainedResults.Retained kept = pool.retained.peek(key);
        boolean usable = kept != null && kept.identity().equals(pool.identity);
        if (kept != null && usable && kept.rows().size() == event.inputs().size()) {
            pool.retained.use(key);
            pool.counters.count(Counters.Name.RETAINED_USED);
            // Never registered: it only puts the rows into the form of a result.
            Operation done = new Operation(0, key, event.inputs(), event.priority(), 0, now);
            done.addFinished(kept.identity(), kept.rows());
            pool.outbox.add(new Effect.Settle(event.waiter(), new WaiterOutcome.Success(done.result())));
            return;
        }
        long bytes = event.bytes();
        Optional<FailureException> refusal = pool.operations.refusal(event.priority(), bytes);
        if (refusal.isPresent()) {
            refuse(event.waiter(), refusal.get());
            return;
        }
        Operation operation = pool.operations.create(key, event.inputs(), event.priority(), bytes, now);
        if (kept != null) {
            pool.retained.use(key);
            if (usable) {
                operation.addFinished(kept.identity(), kept.rows());
                pool.counters.count(Counters.Name.RETAINED_USED);
            }
        }
        pool.operations.join(operation, event.waiter(), event.priority(), event.deadlineNanos());
    }

    /** Answers a caller that is not let in. */
    void refuse(long waiter, FailureException failure) {
        pool.counters.count(Counters.Name.REFUSED);
        pool.outbox.add(new Effect.Settle(waiter, new WaiterOutcome.Failure(failure)));
    }
}
