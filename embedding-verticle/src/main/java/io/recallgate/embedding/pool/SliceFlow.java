package io.recallgate.embedding.pool;

import io.recallgate.embedding.api.ModelIdentity;
import io.recallgate.embedding.api.Priority;
import io.recallgate.embedding.pool.Slot.Slice;
import io.recallgate.embedding.pool.TimerKey.Kind;
import io.recallgate.embedding.protocol.SlicePart;
import io.recallgate.embedding.protocol.ToWorker;
import java.util.ArrayList;
import java.util.List;

/** Sends slices to workers, asks for their end, and watches over them. What workers answer is {@link SliceReplies}' part. */
final class SliceFlow {

    /** Workers that may be lost before they start an operation until the operation is given up. */
    private static final int MAX_DISPATCH_LOSSES = 2;

    private final PoolState pool;
    private long nextSliceId = 1;

    SliceFlow(PoolState pool) {
        this.pool = pool;
    }

    /** Sends the next slice to an idle worker; false if nothing may run. */
    boolean dispatch(Slot slot, long now) {
        PoolLimits.Slice limits = pool.limits.slice();
        List<Operation> line = pool.operations.queue().nextLine(pool::mayRun, limits.rows());
        ModelIdentity identity = slot.identity;
        if (line.isEmpty() || identity == null) {
            return false;
        }
        Priority priority = line.get(0).priority;
        int tokenCap = Math.min(limits.paddedTokens(), slot.tokenCap);
        // Rows that run one by one gain nothing from company, and a query would wait for its neighbours' rows.
        PoolSnapshot.LoadView load = slot.load;
        boolean together = load != null && load.batchInvariant();
        boolean shared = together || priority == Priority.DOCUMENT;
        List<SlicePlanner.Candidate> candidates = new ArrayList<>(line.size());
        for (Operation operation : line) {
            candidates.add(candidate(operation, identity));
        }
        List<SlicePart> parts = SlicePlanner.plan(
                candidates, new SlicePlanner.Bounds(limits.rows(), tokenCap, identity.maxTokens(), shared, together));
        // The planner skips nobody.
        List<Operation> chosen = line.subList(0, parts.size());
        ToWorker.Dispatch message = new ToWorker.Dispatch(slot.index, slot.generation, nextSliceId++, parts, tokenCap);
        for (Operation operation : chosen) {
            pool.operations.transition(operation, OperationState.DISPATCHED, now, "sent");
            operation.dispatchedAt(now);
        }
        boolean mayPause = !together
                && priority == Priority.DOCUMENT
                && pool.operations.queue().countQueries(pool::mayRun) == 0;
        slot.slice = new Slice(message.sliceId(), chosen, parts, mayPause);
        pool.slots.transition(slot, SlotState.DISPATCHED, now, "sent");
        pool.operations.queue().took(priority);
        pool.outbox.add(new Effect.Send(message));
        pool.outbox.arm(
                TimerKey.of(Kind.DISPATCH, slot.index, message.sliceId()),
                now + pool.limits.watchdogs().dispatch().toNanos());
        pool.counters.count(Counters.Name.SLICES);
        return true;
    }

    /** Asks a worker not to start what it was sent. */
    void cancel(Slot slot) {
        Slice slice = slot.heldSlice();
        if (!slice.cancelSent) {
            slice.cancelSent = true;
            pool.outbox.add(new Effect.Send(new ToWorker.CancelDispatch(slot.index, slot.generation, slice.id)));
        }
    }

    /** Asks a worker to leave off between two rows, because a query waits; what is left goes back into the queue. */
    void pause(Slot slot) {
        Slice slice = slot.heldSlice();
        slice.pauseSent = true;
        pool.counters.count(Counters.Name.PAUSES);
        pool.outbox.add(new Effect.Send(new ToWorker.Pause(slot.index, slot.generation, slice.id)));
    }

    /**
     * Asks a worker to end what it runs, because nobody wants it and somebody else wants the worker.
     *
     * <p>A worker that does not acknowledge this is left alone: retiring it would let a caller's cancellation replace a
     * worker (CONTRACTS A8), and cost a load for a run that may be over before the load is. Its run is bounded by the
     * execution watchdog as if nobody had asked; until then its slot stays charged and the work that waits is served
     * by siblings, or ends at its own deadlines if there are none. Once the termination grace is over, though, the
     * slot is no longer counted as about to be free, so that another unwanted run is ended in its stead.
     */
    void abandon(Slot slot, long now) {
        terminate(slot);
        pool.outbox.arm(
                TimerKey.of(Kind.ABANDONMENT, slot.index, slot.heldSlice().id),
                now + pool.limits.watchdogs().terminationGrace().toNanos());
    }

    /** The worker was asked to end unwanted work and has not; see {@link #abandon}. */
    void abandonmentUnanswered(Slot slot) {
        slot.heldSlice().overdue = true;
    }

    /** Asks a worker to end what it runs. */
    void terminate(Slot slot) {
        Slice slice = slot.heldSlice();
        if (!slice.terminateSent) {
            slice.terminateSent = true;
            pool.counters.count(Counters.Name.TERMINATIONS);
            pool.outbox.add(new Effect.Send(new ToWorker.Terminate(slot.index, slot.generation, slice.id)));
            pool.outbox.add(new Effect.Publish(new PoolNotice.RunTerminated(
                    slot.index,
                    slot.generation,
                    slice.expired
                            ? PoolNotice.RunTerminated.Why.EXPIRED
                            : slice.isAbandoned()
                                    ? PoolNotice.RunTerminated.Why.ABANDONED
                                    : PoolNotice.RunTerminated.Why.DRAINED)));
        }
    }

    /** Ends a slice that must end now: a worker that does not acknowledge in time is retired. */
    void forceEnd(Slot slot, long now) {
        terminate(slot);
        pool.outbox.arm(
                TimerKey.of(Kind.TERMINATION_GRACE, slot.index, slot.heldSlice().id),
                now + pool.limits.watchdogs().terminationGrace().toNanos());
    }

    /** The slice was sent long ago and has not started: its worker is not trusted any more. */
    void dispatchExpired(Slot slot, long now, String reason) {
        Slice slice = slot.heldSlice();
        cancel(slot);
        // The worker may still take it up: until it has answered or gone, nobody else may.
        fence(slot);
        giveBack(slice, now);
        // Under the names it has by now, if another model is to run it.
        fence(slot);
        pool.slots.retire(slot, now, reason);
    }

    private void fence(Slot slot) {
        for (Operation operation : slot.heldSlice().operations) {
            pool.quarantine.fence(operation.key, slot.index, slot.generation);
        }
    }

    /**
     * The slice has run too long, whoever waits for it. Work that ran alone is known to be at fault and is quarantined.
     * Of work that shared the slice nobody knows which is: its callers go on waiting, it is run once more and alone,
     * and what is at fault expires again then. It counts for each of them, so that the one that is takes no third slot.
     */
    void executionExpired(Slot slot, long now) {
        Slice slice = slot.heldSlice();
        slice.expired = true;
        for (Operation operation : slice.operations) {
            if (slice.isShared()) {
                pool.quarantine.strike(operation.key, now);
                operation.alone = true;
            } else {
                quarantine(slot, operation, now);
            }
        }
        forceEnd(slot, now);
    }

    private void quarantine(Slot slot, Operation operation, long now) {
        // Held first: a full memory forgets what is not.
        pool.quarantine.hold(operation.key, slot.index, slot.generation);
        boolean last = pool.quarantine.strike(operation.key, now);
        pool.operations.transition(operation, OperationState.EXPIRED, now, "execution watchdog");
        pool.operations.settleAll(operation, last ? Outcomes.givenUp() : Outcomes.expired());
        pool.outbox.add(
                new Effect.Publish(new PoolNotice.WorkQuarantined(slot.index, slot.generation, operation.id, last)));
    }

    /** A forced end was not acknowledged. */
    void terminationUnanswered(Slot slot, long now) {
        Slice slice = slot.heldSlice();
        if (slice.isShared()) {
            // At most one of them keeps the thread: the others are not failed for it, nor is it known which it is.
            fence(slot);
            putBack(slice, now, "not ended in time");
            // Under the names it has by now, if another model is to run it.
            fence(slot);
        } else if (!slice.expired) {
            // Nothing is known against the work; but while its thread is out there nobody else may run it.
            slice.expired = true;
            for (Operation operation : slice.operations) {
                pool.quarantine.hold(operation.key, slot.index, slot.generation);
                pool.operations.settleAll(operation, Outcomes.unavailable("the worker did not end in time"));
                pool.operations.transition(operation, OperationState.EXPIRED, now, "drain bound");
                pool.outbox.add(new Effect.Publish(
                        new PoolNotice.WorkQuarantined(slot.index, slot.generation, operation.id, false)));
            }
        }
        pool.slots.retire(slot, now, "termination unanswered");
    }

    /** The worker is gone although nobody asked it to go. */
    void workerLost(Slot slot, long now) {
        Slice slice = slot.slice;
        pool.counters.count(Counters.Name.WORKERS_LOST);
        if (slice != null && slot.state == SlotState.DISPATCHED) {
            giveBack(slice, now);
        } else if (slice != null && slot.state == SlotState.RUNNING) {
            // What ends a worker once may do it again, so it counts like an expiry; an expired slice was counted.
            if (!slice.expired) {
                slice.operations.forEach(operation -> pool.quarantine.strike(operation.key, now));
            }
            if (slice.isShared()) {
                putBack(slice, now, "its worker ended");
            } else if (!slice.expired) {
                slice.operations.forEach(operation -> failLost(operation, now));
            }
        }
    }

    private void failLost(Operation operation, long now) {
        boolean last = pool.quarantine.isFinal(operation.key);
        pool.operations.fail(
                operation, last ? Outcomes.givenUp() : Outcomes.failed("the worker ended while it embedded this"), now);
    }

    /** Puts work back that shared a slice with whatever ended it badly, each to be run alone, in the order it had. */
    private void putBack(Slice slice, long now, String reason) {
        for (Operation operation : slice.operations) {
            operation.alone = true;
            if (!operation.hasWaiters()) {
                pool.retain(operation, now);
                pool.operations.transition(operation, OperationState.CANCELLED, now, reason);
            } else if (pool.quarantine.isFinal(operation.key)) {
                pool.operations.fail(operation, Outcomes.givenUp(), now);
            } else {
                requeue(operation, now, reason);
            }
        }
    }

    /** The thread has left this slice, one way or another: its keys are free again. */
    void threadReturned(Slot slot, long now) {
        Slice slice = slot.slice;
        if (slice != null) {
            for (Operation operation : slice.operations) {
                if (operation.state == OperationState.EXPIRED) {
                    pool.operations.transition(operation, OperationState.FAILED, now, "the thread returned");
                }
            }
            pool.slots.disarmSlice(slot);
            slot.slice = null;
        }
        pool.quarantine.release(slot.index, slot.generation, now);
    }

    /** Puts work that never started back in its place, or gives it up if that happened before. */
    private void giveBack(Slice slice, long now) {
        // Backwards, so that the first is the first again.
        for (int i = slice.operations.size() - 1; i >= 0; i--) {
            Operation operation = slice.operations.get(i);
            operation.dispatchLosses++;
            if (!operation.hasWaiters()) {
                pool.retain(operation, now);
                pool.operations.transition(operation, OperationState.CANCELLED, now, "never started");
            } else if (operation.dispatchLosses >= MAX_DISPATCH_LOSSES) {
                pool.operations.fail(
                        operation, Outcomes.unavailable("two workers were lost before they started this"), now);
            } else {
                requeue(operation, now, "worker lost before start");
            }
        }
    }

    /** Puts an operation back into the queue, for the model that is configured by now. */
    void requeue(Operation operation, long now, String reason) {
        pool.operations.transition(operation, OperationState.QUEUED, now, reason);
        if (!operation.key.model().equals(pool.edition)) {
            pool.rekey(operation, now);
        }
    }

    private SlicePlanner.Candidate candidate(Operation operation, ModelIdentity identity) {
        if (!identity.equals(operation.identity())) {
            operation.forgetFinished();
        }
        boolean alone = operation.alone || pool.quarantine.isSuspect(operation.key);
        return new SlicePlanner.Candidate(
                operation.id, operation.inputType(), operation.inputs(), operation.nextRow(), alone);
    }
}
