package io.recallgate.embedding.pool;

import io.recallgate.embedding.pool.TimerKey.Kind;
import io.recallgate.embedding.protocol.ToWorker;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** All slots, the one way to move them, and the memory they are charged with. */
final class Slots {

    private static final Logger LOG = LoggerFactory.getLogger(Slots.class);

    private final PoolLimits limits;
    private final Outbox outbox;
    private final Counters counters;
    private final List<Slot> slots = new ArrayList<>();
    private long budgetBytes = Long.MAX_VALUE;
    /** The most that a worker of this model has measured itself to hold, zero before one did. */
    private long measuredBytes;

    Slots(PoolLimits limits, Outbox outbox, Counters counters, long now) {
        this.limits = limits;
        this.outbox = outbox;
        this.counters = counters;
        for (int index = 0; index < limits.slots(); index++) {
            slots.add(new Slot(index, limits, now));
        }
    }

    List<Slot> all() {
        return slots;
    }

    int count(Predicate<Slot> which) {
        int count = 0;
        for (Slot slot : slots) {
            count += which.test(slot) ? 1 : 0;
        }
        return count;
    }

    /** The slot with this number and generation, null if there is none or its generation is another. */
    @Nullable
    Slot find(int index, long generation) {
        if (index < 0 || index >= slots.size() || slots.get(index).generation != generation) {
            return null;
        }
        return slots.get(index);
    }

    void transition(Slot slot, SlotState next, long now, String reason) {
        if (!slot.state.next().contains(next)) {
            throw new IllegalEdgeException(
                    "slot " + slot.index + ": " + slot.state + " to " + next + ", " + reason, null);
        }
        SlotState from = slot.state;
        slot.state = next;
        slot.since = now;
        LOG.debug("slot {} generation {}: {} to {}, {}", slot.index, slot.generation, from, next, reason);
        // One notice for each slice of every worker would drown the rest; work shows in the metrics.
        if (!(from.isServing() && next.isServing())) {
            outbox.add(new Effect.Publish(new PoolNotice.SlotMoved(slot.index, slot.generation, from, next, reason)));
        }
    }

    /** Makes a worker for an empty slot. */
    void start(Slot slot, String model, long now) {
        transition(slot, SlotState.STARTING, now, "start");
        slot.begin(model);
        slot.chargedBytes = nextBytes();
        outbox.disarm(TimerKey.coolDown(slot.index));
        outbox.add(new Effect.StartWorker(slot.index, slot.generation, model));
        outbox.arm(
                TimerKey.of(Kind.INITIALISATION, slot.index, slot.generation),
                now + limits.watchdogs().initialisation().toNanos());
        counters.count(Counters.Name.STARTS);
    }

    /** Ends a worker in service. Its slot stays charged until the exit is confirmed. */
    void retire(Slot slot, long now, String reason) {
        transition(slot, SlotState.RETIRING, now, reason);
        disarmWork(slot);
        outbox.add(new Effect.Send(new ToWorker.Shutdown(slot.index, slot.generation)));
        outbox.add(new Effect.RetireWorker(slot.index, slot.generation));
        outbox.arm(
                TimerKey.of(Kind.EXIT_GRACE, slot.index, slot.generation),
                now + limits.watchdogs().exitGrace().toNanos());
    }

    /** The worker is gone: nothing is charged any more. */
    void vacate(Slot slot, long now, String reason) {
        transition(slot, SlotState.EMPTY, now, reason);
        disarmWork(slot);
        outbox.disarm(TimerKey.of(Kind.INITIALISATION, slot.index, slot.generation));
        outbox.disarm(TimerKey.of(Kind.EXIT_GRACE, slot.index, slot.generation));
        slot.vacate(limits.slice());
        if (slot.debt.isBlocked(now)) {
            transition(slot, SlotState.COOLING, now, "retry debt");
        }
    }

    /** Disarms what watches the slice and the drain of this slot. */
    void disarmWork(Slot slot) {
        outbox.disarm(TimerKey.of(Kind.DRAIN, slot.index, slot.generation));
        disarmSlice(slot);
    }

    void disarmSlice(Slot slot) {
        Slot.Slice slice = slot.slice;
        if (slice != null) {
            outbox.disarm(TimerKey.of(Kind.DISPATCH, slot.index, slice.id));
            outbox.disarm(TimerKey.of(Kind.EXECUTION, slot.index, slice.id));
            outbox.disarm(TimerKey.of(Kind.TERMINATION_GRACE, slot.index, slice.id));
            outbox.disarm(TimerKey.of(Kind.ABANDONMENT, slot.index, slice.id));
        }
    }

    /** @param current whether it is a worker of the model that is configured, whose next one will be as large */
    void measured(Slot slot, long bytes, boolean current) {
        slot.chargedBytes = bytes;
        if (current) {
            measuredBytes = Math.max(measuredBytes, bytes);
        }
    }

    /** Another model is to come: what the old one measured says nothing about it. */
    void forgetMeasured() {
        measuredBytes = 0;
    }

    void budget(long bytes) {
        budgetBytes = bytes;
    }

    boolean gateAdmits() {
        return gate().admitsStart();
    }

    PoolSnapshot.GateView gate() {
        long charged = slots.stream().mapToLong(slot -> slot.chargedBytes).sum();
        return new PoolSnapshot.GateView(budgetBytes, charged, nextBytes());
    }

    private long nextBytes() {
        return measuredBytes > 0 ? measuredBytes : limits.expectedWorkerBytes();
    }
}
