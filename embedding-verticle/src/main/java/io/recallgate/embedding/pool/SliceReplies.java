package io.recallgate.embedding.pool;

import io.recallgate.embedding.api.ModelIdentity;
import io.recallgate.embedding.pool.Slot.Slice;
import io.recallgate.embedding.pool.TimerKey.Kind;
import io.recallgate.embedding.protocol.FromWorker;
import io.recallgate.embedding.protocol.PartResult;
import io.recallgate.embedding.protocol.RowResult;
import io.recallgate.embedding.protocol.RunFailure;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What workers answer about slices. An answer counts once, from the generation and for the slice that the slot holds;
 * everything else is counted by kind and dropped.
 */
final class SliceReplies {

    private final PoolState pool;
    private final SliceFlow flow;

    SliceReplies(PoolState pool, SliceFlow flow) {
        this.pool = pool;
        this.flow = flow;
    }

    void started(FromWorker.Started message, long now) {
        Slot slot = pool.slots.find(message.slot(), message.generation());
        if (slot != null) {
            slot.dropped(message.drops(), pool.counters);
        }
        if (slot != null && slot.wasImplied(message.sliceId())) {
            return;
        }
        if (slot == null || !slot.holdsSlice(message.sliceId())) {
            pool.counters.dropped(Counters.Dropped.STARTED);
            return;
        }
        if (slot.state == SlotState.DISPATCHED) {
            begin(slot, now);
            return;
        }
        pool.counters.dropped(Counters.Dropped.STARTED);
        if (pool.ended) {
            return; // its thread was reported as one that does not return, and nothing is sent after that
        }
        if (slot.state == SlotState.RETIRING || slot.state == SlotState.STUCK) {
            // It took up after all what had been taken from it: its keys stay fenced until that has ended.
            flow.terminate(slot);
        }
    }

    void cancelled(FromWorker.Cancelled message, long now) {
        Slot slot = pool.slots.find(message.slot(), message.generation());
        if (slot == null || !slot.holdsSlice(message.sliceId())) {
            pool.counters.dropped(Counters.Dropped.CANCELLED);
            return;
        }
        switch (slot.state) {
            case DISPATCHED -> {
                List<Operation> operations = slot.heldSlice().operations;
                // Backwards, so that the first is the first again.
                for (int i = operations.size() - 1; i >= 0; i--) {
                    Operation operation = operations.get(i);
                    if (operation.hasWaiters()) {
                        flow.requeue(operation, now, "cancelled before start");
                    } else {
                        pool.retain(operation, now);
                        pool.operations.transition(
                                operation, OperationState.CANCELLED, now, "acknowledged before start");
                    }
                }
                free(slot, now, "cancelled");
            }
            case RETIRING, STUCK -> {
                flow.threadReturned(slot, now);
                pool.counters.dropped(Counters.Dropped.CANCELLED);
            }
            default -> pool.counters.dropped(Counters.Dropped.CANCELLED);
        }
    }

    void completed(FromWorker.Completed message, long now) {
        Slot slot = claim(message.slot(), message.generation(), message.sliceId(), Counters.Dropped.COMPLETED, now);
        ModelIdentity by = slot == null ? null : slot.identity;
        if (slot == null || by == null) {
            return;
        }
        Slice slice = slot.heldSlice();
        List<Operation> leftOff = new ArrayList<>();
        boolean progressed = false;
        for (Operation operation : slice.operations) {
            PartResult part = absorb(operation, by, message.parts(), slice, now);
            boolean stalled =
                    part == null || (part.failure() == null && part.rows().isEmpty());
            if (part != null && stalled && progressed && slice.pauseSent) {
                leftOff.add(operation);
                continue;
            }
            progressed |= !stalled;
            // A part without rows and without a failure would come back for ever.
            RunFailure failure = part == null || stalled ? RunFailure.INTERNAL : part.failure();
            settle(operation, failure, true, now);
            if (failure == RunFailure.OUT_OF_MEMORY) {
                outOfMemory(slot);
            }
        }
        // Backwards, so that the first is the first again.
        for (int i = leftOff.size() - 1; i >= 0; i--) {
            Operation operation = leftOff.get(i);
            settle(operation, null, true, now);
            if (operation.state == OperationState.QUEUED) {
                pool.operations.queue().keepTurn(operation);
            }
        }
        slot.sliceWentWell(pool.limits.slice());
        free(slot, now, "completed");
    }

    void failed(FromWorker.Failed message, long now) {
        Slot slot = claim(message.slot(), message.generation(), message.sliceId(), Counters.Dropped.FAILED, now);
        ModelIdentity by = slot == null ? null : slot.identity;
        if (slot == null || by == null) {
            return;
        }
        Slice slice = slot.heldSlice();
        if (message.failure() == RunFailure.OUT_OF_MEMORY) {
            outOfMemory(slot);
        }
        for (Operation operation : slice.operations) {
            absorb(operation, by, message.finished(), slice, now);
            settle(operation, message.failure(), slice.rows() == 1, now);
        }
        free(slot, now, "failed");
    }

    void terminated(FromWorker.Terminated message, long now) {
        Slot slot = claim(message.slot(), message.generation(), message.sliceId(), Counters.Dropped.TERMINATED, now);
        ModelIdentity by = slot == null ? null : slot.identity;
        if (slot == null || by == null) {
            return;
        }
        Slice slice = slot.heldSlice();
        for (Operation operation : slice.operations) {
            absorb(operation, by, message.finished(), slice, now);
            if (!slice.terminateSent) {
                settle(operation, RunFailure.INTERNAL, slice.rows() == 1, now);
            } else if (operation.isDone() || operation.hasWaiters()) {
                settle(operation, null, true, now);
            } else {
                pool.retain(operation, now);
                pool.operations.transition(operation, OperationState.TERMINATED, now, "acknowledged");
            }
        }
        free(slot, now, "terminated");
    }

    /**
     * The slot whose running slice this answer ends, null if it ends none. An answer that overtook its {@code started}
     * implies it. For a slice that was given up before, the thread has returned, which is all that is left to learn. A
     * shared slice that expired is not given up before its worker is: what it has done by its end counts.
     */
    private @Nullable Slot claim(int index, long generation, long sliceId, Counters.Dropped kind, long now) {
        Slot slot = pool.slots.find(index, generation);
        if (slot == null || !slot.holdsSlice(sliceId)) {
            pool.counters.dropped(kind);
            return null;
        }
        Slice slice = slot.heldSlice();
        switch (slot.state) {
            case DISPATCHED -> {
                begin(slot, now);
                slot.impliesStart();
            }
            case RETIRING, STUCK -> {
                flow.threadReturned(slot, now);
                pool.counters.dropped(kind);
                return null;
            }
            default -> {
                if (slice.expired && !slice.isShared()) {
                    flow.threadReturned(slot, now);
                    free(slot, now, "the thread returned");
                    return null;
                }
            }
        }
        return slot;
    }

    private void begin(Slot slot, long now) {
        Slice slice = slot.heldSlice();
        pool.outbox.disarm(TimerKey.of(Kind.DISPATCH, slot.index, slice.id));
        for (Operation operation : slice.operations) {
            pool.operations.transition(operation, OperationState.RUNNING, now, "started");
        }
        pool.slots.transition(slot, SlotState.RUNNING, now, "started");
        pool.outbox.arm(
                TimerKey.of(Kind.EXECUTION, slot.index, slice.id),
                now + pool.limits.watchdogs().execution().toNanos());
    }

    private void outOfMemory(Slot slot) {
        pool.counters.count(Counters.Name.OUT_OF_MEMORY);
        slot.shrinkTokenCap(pool.limits.slice());
        pool.outbox.add(new Effect.Publish(new PoolNotice.OutOfMemory(slot.index, slot.generation, slot.tokenCap)));
    }

    private void free(Slot slot, long now, String reason) {
        pool.slots.disarmSlice(slot);
        slot.slice = null;
        pool.slots.transition(slot, SlotState.IDLE, now, reason);
    }

    /** Takes over the rows of this operation, as far as they are the ones that were asked for. */
    private @Nullable PartResult absorb(
            Operation operation, ModelIdentity by, List<PartResult> parts, Slice slice, long now) {
        PartResult part = partOf(operation, parts);
        if (part == null) {
            return null;
        }
        boolean fits = part.rowOffset() == operation.nextRow() && part.rows().size() <= slice.rowsOf(operation);
        long tokens = 0;
        for (RowResult row : part.rows()) {
            fits &= row.vector().dimensions() == by.dimensions();
            tokens += row.tokens();
        }
        if (!fits) {
            pool.counters.dropped(Counters.Dropped.ROWS);
            return null;
        }
        operation.addFinished(by, part.rows());
        operation.addTiming(part.timing());
        pool.counters.add(Counters.Name.ROWS, part.rows().size());
        pool.counters.add(Counters.Name.TOKENS, tokens);
        pool.throughput.add(part.rows().size(), tokens, now);
        return part;
    }

    private static @Nullable PartResult partOf(Operation operation, List<PartResult> parts) {
        for (PartResult part : parts) {
            if (part.operationId() == operation.id) {
                return part;
            }
        }
        return null;
    }

    /**
     * Moves a running operation on, after its slice ended.
     *
     * @param blamed whether the failure, if there is one, is known to be this operation's own
     */
    private void settle(Operation operation, @Nullable RunFailure failure, boolean blamed, long now) {
        if (operation.isDone()) {
            complete(operation, now);
        } else if (failure != null && !mayTryAgain(operation, failure, blamed)) {
            pool.operations.fail(operation, Outcomes.failed(words(failure, operation.nextRow())), now);
        } else if (operation.hasWaiters()) {
            flow.requeue(operation, now, failure == null ? "rows remain" : "again in smaller slices");
        } else {
            pool.retain(operation, now);
            pool.operations.transition(operation, OperationState.CANCELLED, now, "the last waiter left");
        }
    }

    private void complete(Operation operation, long now) {
        pool.operations.transition(operation, OperationState.COMPLETED, now, "all rows done");
        pool.quarantine.absolve(operation.key);
        if (operation.hasWaiters()) {
            pool.operations.settleAll(operation, new WaiterOutcome.Success(operation.result()));
        } else {
            pool.retain(operation, now);
        }
    }

    /** Whether smaller slices may help; each operation gets that chance once for each reason. */
    private static boolean mayTryAgain(Operation operation, RunFailure failure, boolean blamed) {
        boolean again = failure == RunFailure.OUT_OF_MEMORY ? !operation.memoryRetried : !blamed && !operation.alone;
        operation.memoryRetried |= failure == RunFailure.OUT_OF_MEMORY;
        operation.alone = true;
        return again;
    }

    private static String words(RunFailure failure, int row) {
        return switch (failure) {
            case OUT_OF_MEMORY -> "the worker ran out of memory twice over input " + row;
            case POISON -> "input " + row + " cannot be embedded";
            case INTERNAL -> "the worker failed at input " + row;
        };
    }
}
