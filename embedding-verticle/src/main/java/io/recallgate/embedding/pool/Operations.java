package io.recallgate.embedding.pool;

import io.recallgate.embedding.api.EmbedInput;
import io.recallgate.embedding.api.Priority;
import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** All operations and waiters, the one way to move and to settle them, and what they are charged with. */
final class Operations {

    private static final Logger LOG = LoggerFactory.getLogger(Operations.class);

    private final PoolLimits.Queue limits;
    private final Outbox outbox;
    private final WorkQueue queue;
    /** Those that may still be joined: waiting or in a worker's hands. */
    private final Map<OperationKey, Operation> byKey = new HashMap<>();

    private final Map<Long, Operation> byWaiter = new HashMap<>();
    private long nextId = 1;
    private int live;
    private long liveBytes;
    private int liveDocuments;
    private long liveDocumentBytes;

    Operations(PoolLimits.Queue limits, Outbox outbox) {
        this.limits = limits;
        this.outbox = outbox;
        this.queue = new WorkQueue(limits.queriesPerDocument());
    }

    WorkQueue queue() {
        return queue;
    }

    @Nullable
    Operation find(OperationKey key) {
        return byKey.get(key);
    }

    @Nullable
    Operation ofWaiter(long waiter) {
        return byWaiter.get(waiter);
    }

    /** Why work of this size may not be admitted now, empty if it may. */
    Optional<FailureException> refusal(Priority priority, long bytes) {
        boolean document = priority == Priority.DOCUMENT;
        long byteLimit = document ? Math.min(limits.documentBytes(), limits.bytes()) : limits.bytes();
        if (bytes > byteLimit) {
            return Optional.of(new FailureException(
                    FailureCode.WORK_TOO_LARGE,
                    "the inputs are charged with " + bytes + " bytes, and the queue holds " + byteLimit
                            + "; send fewer at a time"));
        }
        boolean full = live >= limits.operations() || liveBytes + bytes > limits.bytes();
        boolean fullForDocuments =
                liveDocuments >= limits.documentOperations() || liveDocumentBytes + bytes > limits.documentBytes();
        if (full || (document && fullForDocuments)) {
            return Optional.of(Outcomes.overloaded("the embedding queue is full: try again a moment later"));
        }
        return Optional.empty();
    }

    /** Makes an operation that waits. Its admission was checked before. */
    Operation create(OperationKey key, List<EmbedInput> inputs, Priority priority, long bytes, long now) {
        Operation operation = new Operation(nextId++, key, inputs, priority, bytes, now);
        byKey.put(key, operation);
        charge(operation, 1);
        queue.addLast(operation);
        return operation;
    }

    boolean hasRoomForWaiter(Operation operation) {
        return operation.waiters.size() < limits.waitersPerOperation();
    }

    void join(Operation operation, long waiter, Priority priority, long deadlineNanos) {
        operation.waiters.add(waiter);
        byWaiter.put(waiter, operation);
        outbox.arm(TimerKey.waiterDeadline(waiter), deadlineNanos);
        if (priority == Priority.QUERY) {
            promote(operation);
        }
    }

    private void promote(Operation operation) {
        if (operation.priority == Priority.DOCUMENT && operation.state == OperationState.QUEUED) {
            queue.promote(operation);
        }
        operation.priority = Priority.QUERY;
    }

    void transition(Operation operation, OperationState next, long now, String reason) {
        OperationState from = operation.state;
        if (!from.next().contains(next)) {
            throw new IllegalEdgeException(
                    "operation " + operation.id + ": " + from + " to " + next + ", " + reason, operation);
        }
        if (from == OperationState.QUEUED) {
            queue.remove(operation);
        }
        operation.state = next;
        LOG.debug("operation {}: {} to {}, {}", operation.id, from, next, reason);
        if (next == OperationState.QUEUED) {
            operation.queuedAt = now;
            // What never ran keeps its turn; what had a slice gives others theirs.
            if (from == OperationState.DISPATCHED) {
                queue.addFirst(operation);
            } else {
                queue.addLast(operation);
            }
        }
        if (next == OperationState.EXPIRED || (next.isFinal() && from != OperationState.EXPIRED)) {
            release(operation);
        }
    }

    /** Settles one waiter; whoever comes second finds nothing to settle. */
    void settle(long waiter, WaiterOutcome outcome) {
        Operation operation = byWaiter.remove(waiter);
        if (operation == null) {
            return;
        }
        boolean known = operation.waiters.remove(waiter);
        outbox.disarm(TimerKey.waiterDeadline(waiter));
        outbox.add(new Effect.Settle(waiter, outcome));
        if (!known) {
            throw new DefectException("operation " + operation.id + " does not know its waiter", operation);
        }
    }

    void settleAll(Operation operation, WaiterOutcome outcome) {
        List.copyOf(operation.waiters).forEach(waiter -> settle(waiter, outcome));
    }

    void settleAll(Operation operation, FailureException failure) {
        settleAll(operation, new WaiterOutcome.Failure(failure));
    }

    /** Fails an operation and all who wait for it. */
    void fail(Operation operation, FailureException failure, long now) {
        transition(operation, OperationState.FAILED, now, failure.code().code());
        settleAll(operation, failure);
    }

    /** Settles every waiter there is. */
    void settleEverybody(FailureException failure) {
        List.copyOf(byWaiter.keySet()).forEach(waiter -> settle(waiter, new WaiterOutcome.Failure(failure)));
    }

    /**
     * Gives waiting work to another model. Work that is asked of that model already is joined by its waiters; those
     * for whom there is no room are refused.
     */
    void rekey(Operation operation, String model, long now) {
        byKey.remove(operation.key, operation);
        operation.key = operation.key.withModel(model);
        operation.forgetFinished();
        Operation twin = byKey.putIfAbsent(operation.key, operation);
        if (twin == null) {
            return;
        }
        for (long waiter : List.copyOf(operation.waiters)) {
            if (hasRoomForWaiter(twin)) {
                operation.waiters.remove(waiter);
                twin.waiters.add(waiter);
                byWaiter.put(waiter, twin);
            } else {
                settle(
                        waiter,
                        new WaiterOutcome.Failure(Outcomes.overloaded(
                                "too many requests wait for this very input: try again a moment later")));
            }
        }
        if (operation.priority == Priority.QUERY) {
            promote(twin);
        }
        transition(operation, OperationState.CANCELLED, now, "the same work waits for the new model");
    }

    /** Removes an operation whose state can no longer be trusted. */
    void abandon(Operation operation) {
        settleAll(operation, new FailureException(FailureCode.INTERNAL, "an internal error in the embedding pool"));
        queue.remove(operation);
        if (!operation.state.isFinal() && operation.state != OperationState.EXPIRED) {
            operation.state = OperationState.FAILED;
            release(operation);
        }
    }

    /** Those that some worker is said to have; for when that is in doubt. */
    List<Operation> inHands() {
        return byKey.values().stream()
                .filter(operation -> operation.state != OperationState.QUEUED)
                .toList();
    }

    int live() {
        return live;
    }

    long liveBytes() {
        return liveBytes;
    }

    int waiters() {
        return byWaiter.size();
    }

    private void release(Operation operation) {
        byKey.remove(operation.key, operation);
        charge(operation, -1);
        operation.forgetInputs();
    }

    /** An operation is charged as what it was admitted as, even if a query joins it. */
    private void charge(Operation operation, int sign) {
        live += sign;
        liveBytes += sign * operation.bytes;
        if (operation.admittedAs == Priority.DOCUMENT) {
            liveDocuments += sign;
            liveDocumentBytes += sign * operation.bytes;
        }
        if (live < 0 || liveBytes < 0 || liveDocuments < 0 || liveDocumentBytes < 0) {
            live = Math.max(0, live);
            liveBytes = Math.max(0, liveBytes);
            liveDocuments = Math.max(0, liveDocuments);
            liveDocumentBytes = Math.max(0, liveDocumentBytes);
            throw new DefectException("operation " + operation.id + " gave back more than was charged", operation);
        }
    }
}
