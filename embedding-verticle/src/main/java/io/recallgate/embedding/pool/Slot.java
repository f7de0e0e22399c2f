package io.recallgate.embedding.pool;

import io.recallgate.embedding.api.ModelIdentity;
import io.recallgate.embedding.protocol.SlicePart;
import io.recallgate.embedding.protocol.WorkerDrops;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One place for a worker. Plain data: its state is changed by {@link Slots#transition} alone. */
final class Slot {

    /** Slices without trouble after which a shrunken token cap grows again. */
    private static final int SLICES_TO_RECOVER = 16;

    private static final int MAX_IMPLIED = 64;

    /** Why a worker is to end although nothing is wrong with it. */
    enum Retirement {
        REPLACEMENT,
        OPERATOR,
        SHUTDOWN
    }

    final int index;
    final RetryDebt debt;

    SlotState state = SlotState.EMPTY;
    long generation;
    long since;
    /** What its worker was told to load. */
    String model = "";
    /** Whether another model is to serve since it was started. */
    boolean outdated;

    @Nullable
    ModelIdentity identity;

    /** What loading that showed. */
    PoolSnapshot.@Nullable LoadView load;

    /** Models loaded here so far. */
    long loads;

    long chargedBytes;
    int tokenCap;
    /** What is in the worker's hands; kept while retiring until its thread is known to have left it. */
    @Nullable
    Slice slice;

    @Nullable
    Retirement retirement;
    /** Whether it is to start again when it is empty, with or without work. */
    boolean restart;

    /**
     * Slices whose end was heard before their {@code started}, which comes by another way and is still to be heard. The
     * last few are enough: one that is forgotten is counted as a late message and does no harm.
     */
    private final Deque<Long> implied = new ArrayDeque<>();

    /** What its worker has said to have dropped. */
    private WorkerDrops drops = WorkerDrops.NONE;

    private int cleanSlices;

    Slot(int index, PoolLimits limits, long now) {
        this.index = index;
        this.debt = new RetryDebt(limits.retry());
        this.tokenCap = limits.slice().paddedTokens();
        this.since = now;
    }

    /** One assignment. */
    static final class Slice {
        final long id;
        final List<Operation> operations;
        private final List<SlicePart> parts;
        boolean cancelSent;
        boolean terminateSent;
        /** Whether the worker was asked to leave off for a query that waits. */
        boolean pauseSent;

        /** Whether a query that comes while it runs goes first: not if it was documents' turn before queries that waited. */
        final boolean mayPause;

        /** Whether the worker was asked to end unwanted work long ago and has not. */
        boolean overdue;
        /**
         * Whether the execution watchdog, and not the want of callers, ends it. The work of a shared slice is then
         * still in the worker's hands: it is put back once the worker has answered or is given up.
         */
        boolean expired;

        Slice(long id, List<Operation> operations, List<SlicePart> parts, boolean mayPause) {
            this.id = id;
            this.mayPause = mayPause;
            this.operations = new ArrayList<>(operations);
            this.parts = parts;
        }

        int rows() {
            int rows = 0;
            for (SlicePart part : parts) {
                rows += part.rows().size();
            }
            return rows;
        }

        int rowsOf(Operation operation) {
            for (SlicePart part : parts) {
                if (part.operationId() == operation.id) {
                    return part.rows().size();
                }
            }
            return 0;
        }

        PoolSnapshot.@Nullable Ending ending() {
            return terminateSent ? PoolSnapshot.Ending.TERMINATING : cancelSent ? PoolSnapshot.Ending.CANCELLING : null;
        }

        /** Whether several operations were sent in it, so that nobody knows which of them a trouble is of. */
        boolean isShared() {
            return parts.size() > 1;
        }

        boolean isAbandoned() {
            return operations.stream().noneMatch(Operation::hasWaiters);
        }
    }

    boolean holdsSlice(long sliceId) {
        return slice != null && slice.id == sliceId;
    }

    Slice heldSlice() {
        Slice held = slice;
        if (held == null) {
            throw new IllegalStateException("slot " + index + " holds no slice in " + state);
        }
        return held;
    }

    boolean holds(Operation operation) {
        return slice != null && slice.operations.contains(operation);
    }

    /** Removes an operation whose state can no longer be trusted from the slice. */
    void disown(Operation operation) {
        if (slice != null) {
            slice.operations.remove(operation);
        }
    }

    void shrinkTokenCap(PoolLimits.Slice limits) {
        tokenCap = Math.max(limits.floorTokens(), tokenCap / 2);
        cleanSlices = 0;
    }

    void sliceWentWell(PoolLimits.Slice limits) {
        if (tokenCap < limits.paddedTokens() && ++cleanSlices >= SLICES_TO_RECOVER) {
            tokenCap = Math.min(limits.paddedTokens(), tokenCap * 2);
            cleanSlices = 0;
        }
    }

    /** Notes that the {@code started} of its slice has been overtaken by its end. */
    void impliesStart() {
        if (implied.size() == MAX_IMPLIED) {
            implied.removeFirst();
        }
        implied.addLast(heldSlice().id);
    }

    /** Whether this is that {@code started}; once for each. */
    boolean wasImplied(long sliceId) {
        return implied.remove(sliceId);
    }

    /** Counts what its worker has dropped since it said so before. */
    void dropped(WorkerDrops told, Counters counters) {
        counters.dropped(drops, told);
        drops = new WorkerDrops(
                Math.max(drops.misdirected(), told.misdirected()),
                Math.max(drops.repeated(), told.repeated()),
                Math.max(drops.late(), told.late()),
                Math.max(drops.cancelled(), told.cancelled()),
                Math.max(drops.closed(), told.closed()));
    }

    /** Takes note of a new worker. */
    void begin(String of) {
        generation++;
        model = of;
        restart = false;
        drops = WorkerDrops.NONE;
        implied.clear();
    }

    /** Forgets the worker that was here. */
    void vacate(PoolLimits.Slice limits) {
        identity = null;
        load = null;
        chargedBytes = 0;
        tokenCap = limits.paddedTokens();
        cleanSlices = 0;
        slice = null;
        retirement = null;
        outdated = false;
    }
}
