package io.recallgate.embedding.pool;

/**
 * Looks at every slot after every event: what it holds must be what its state says. One that is not so is a defect; it
 * costs the work of that slot, whose worker is replaced, so that the pool goes on.
 */
final class SlotAudit {

    private final PoolState pool;

    SlotAudit(PoolState pool) {
        this.pool = pool;
    }

    /** Makes the first unsound slot whole and throws; others have their turn after the next event. */
    void check(long now) {
        for (Slot slot : pool.slots.all()) {
            if (!isSound(slot)) {
                String words = "slot " + slot.index + " generation " + slot.generation + " holds "
                        + (slot.slice == null ? "no slice" : "a slice") + " and is charged with " + slot.chargedBytes
                        + " bytes in " + slot.state;
                mend(slot, now);
                throw new DefectException(words, null);
            }
        }
    }

    private static boolean isSound(Slot slot) {
        return switch (slot.state) {
            case EMPTY, COOLING -> slot.slice == null && slot.chargedBytes == 0;
            case STARTING, IDLE -> slot.slice == null;
            case DISPATCHED, RUNNING -> slot.slice != null;
            case RETIRING, STUCK -> true;
        };
    }

    private void mend(Slot slot, long now) {
        pool.slots.disarmWork(slot);
        slot.slice = null;
        for (Operation operation : pool.operations.inHands()) {
            if (pool.slots.count(other -> other.holds(operation)) == 0) {
                if (slot.state.isCharged()) {
                    // Its thread may be at it.
                    pool.quarantine.hold(operation.key, slot.index, slot.generation);
                }
                pool.operations.abandon(operation);
            }
        }
        if (slot.state.isServing()) {
            pool.slots.retire(slot, now, "defect");
        } else if (!slot.state.isCharged()) {
            slot.vacate(pool.limits.slice());
        }
    }
}
