package io.recallgate.embedding.pool;

import io.recallgate.embedding.pool.TimerKey.Kind;
import io.recallgate.embedding.protocol.FromWorker;
import io.recallgate.embedding.protocol.StartFailure;
import io.recallgate.failure.FailureException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Starts workers within what memory and retry debt allow, and ends them. Callers have no say in either. */
final class SlotKeeper {

    private static final Logger LOG = LoggerFactory.getLogger(SlotKeeper.class);

    private final PoolState pool;
    private final SliceFlow flow;

    SlotKeeper(PoolState pool, SliceFlow flow) {
        this.pool = pool;
        this.flow = flow;
    }

    void ready(FromWorker.Ready message, long now) {
        Slot slot = pool.slots.find(message.slot(), message.generation());
        if (slot == null || slot.state != SlotState.STARTING) {
            pool.counters.dropped(Counters.Dropped.READY);
            return;
        }
        pool.outbox.disarm(TimerKey.of(Kind.INITIALISATION, slot.index, slot.generation));
        pool.slots.transition(slot, SlotState.IDLE, now, "ready");
        pool.slots.measured(slot, message.residentBytes(), !slot.outdated);
        slot.identity = message.model();
        slot.load = new PoolSnapshot.LoadView(message.batchInvariant(), message.batchCosine(), message.loadNanos());
        slot.loads++;
        slot.debt.succeeded(slot.generation);
        if (!slot.outdated) {
            if (!message.model().equals(pool.identity)) {
                // Results of other model files are not results of this one.
                pool.retained.clear();
                tellReplaced();
            }
            pool.loaded(message.model());
        }
    }

    /** The first worker of another model serves. The first of all replaces nothing. */
    private void tellReplaced() {
        PoolState.Replacement replacement = pool.replacement;
        if (replacement != null && pool.identity == null) {
            pool.outbox.add(new Effect.Publish(new PoolNotice.ModelReplaced(replacement.from(), pool.model)));
        }
    }

    /** A replacement is over once no worker of another model is charged any more and those that are serve. */
    void endReplacement() {
        if (pool.replacement != null && pool.identity != null && pool.slotsLeft() == 0) {
            pool.replacement = null;
        }
    }

    /** Counts for a worker that retires or is stuck, too: it holds what it holds. */
    void grew(FromWorker.Grew message) {
        Slot slot = pool.slots.find(message.slot(), message.generation());
        if (slot == null || !slot.state.isCharged() || slot.identity == null) {
            pool.counters.dropped(Counters.Dropped.GREW);
        } else {
            pool.slots.measured(slot, Math.max(slot.chargedBytes, message.chargedBytes()), !slot.outdated);
        }
    }

    void startFailed(FromWorker.StartFailed message, long now) {
        Slot slot = pool.slots.find(message.slot(), message.generation());
        if (slot == null || slot.state != SlotState.STARTING) {
            pool.counters.dropped(Counters.Dropped.START_FAILED);
            return;
        }
        LOG.warn(
                "slot {} generation {} did not start, {}: {}",
                slot.index,
                slot.generation,
                message.failure(),
                message.detail());
        pool.counters.count(Counters.Name.START_FAILURES);
        owe(slot, message.failure(), message.detail(), now);
        pool.slots.vacate(slot, now, "start failed");
    }

    /** The thread is gone. Reports of older generations and repeated ones say nothing new. */
    void exited(PoolEvent.SlotExited event, long now) {
        Slot slot = pool.slots.find(event.slot(), event.generation());
        if (slot == null) {
            pool.counters.dropped(Counters.Dropped.EXITED);
            return;
        }
        if (!slot.state.isCharged()) {
            return; // as after a failed start, which is told first and then the exit
        }
        switch (slot.state) {
            case STARTING -> {
                pool.counters.count(Counters.Name.START_FAILURES);
                owe(slot, StartFailure.RETRYABLE, "the worker ended while it started", now);
                pool.slots.vacate(slot, now, "ended while starting");
            }
            case IDLE, DISPATCHED, RUNNING -> {
                LOG.warn("slot {} generation {} ended unasked in {}", slot.index, slot.generation, slot.state);
                flow.workerLost(slot, now);
                flow.threadReturned(slot, now);
                owe(slot, StartFailure.RETRYABLE, "the worker ended unasked", now);
                pool.slots.transition(slot, SlotState.RETIRING, now, "ended unasked");
                pool.slots.vacate(slot, now, "exit confirmed");
            }
            default -> {
                flow.threadReturned(slot, now);
                pool.slots.vacate(slot, now, "exit confirmed");
            }
        }
    }

    void initialisationExpired(Slot slot, long now, String reason, boolean debt) {
        if (debt) {
            pool.counters.count(Counters.Name.START_FAILURES);
            owe(slot, StartFailure.RETRYABLE, "the model was not loaded in time", now);
        }
        pool.outbox.disarm(TimerKey.of(Kind.INITIALISATION, slot.index, slot.generation));
        pool.slots.transition(slot, SlotState.STUCK, now, reason);
        pool.slots.disarmWork(slot);
        pool.outbox.add(new Effect.RetireWorker(slot.index, slot.generation));
    }

    /** What a worker of a model that is not to serve any more does wrong says nothing about the next. */
    private void owe(Slot slot, StartFailure failure, String detail, long now) {
        if (slot.outdated) {
            return;
        }
        if (failure == StartFailure.TERMINAL) {
            slot.debt.failedForGood(slot.generation, now);
        } else {
            slot.debt.failed(slot.generation, now);
        }
        pool.startTrouble = new PoolSnapshot.StartTrouble(failure, detail);
        pool.outbox.add(new Effect.Publish(new PoolNotice.DebtGrew(
                slot.index,
                slot.generation,
                slot.debt.failures(),
                slot.debt.remainingNanos(now),
                slot.debt.isExhausted())));
    }

    void exitUnconfirmed(Slot slot, long now) {
        pool.slots.transition(slot, SlotState.STUCK, now, "exit not confirmed");
        List<OperationKey> hardened = pool.quarantine.harden(slot.index, slot.generation);
        for (OperationKey key : hardened) {
            Operation operation = pool.operations.find(key);
            if (operation != null && operation.state == OperationState.QUEUED) {
                pool.operations.fail(operation, Outcomes.quarantined(), now);
            }
        }
    }

    /** Ends a worker as soon as its work is done, or the drain bound is over. */
    void drain(Slot slot, Slot.Retirement why, long now) {
        if (slot.state == SlotState.RETIRING || slot.state == SlotState.STUCK || !slot.state.isCharged()) {
            return;
        }
        if (slot.retirement == null || why == Slot.Retirement.SHUTDOWN) {
            slot.retirement = why;
        }
        if (slot.state == SlotState.IDLE) {
            return;
        }
        pool.outbox.arm(
                TimerKey.of(Kind.DRAIN, slot.index, slot.generation),
                now + pool.limits.watchdogs().drain().toNanos());
        if (slot.state == SlotState.DISPATCHED) {
            flow.cancel(slot);
        }
    }

    void drainBoundOver(Slot slot, long now) {
        switch (slot.state) {
            case STARTING -> initialisationExpired(slot, now, "drain bound", false);
            case DISPATCHED -> flow.dispatchExpired(slot, now, "drain bound");
            case RUNNING -> flow.forceEnd(slot, now);
            default -> LOG.debug("slot {} was drained in time", slot.index);
        }
    }

    /** Retires what is idle and is to go. */
    void retireIdle(long now) {
        for (Slot slot : pool.slots.all()) {
            if (slot.state == SlotState.IDLE && slot.retirement != null) {
                pool.slots.retire(slot, now, slot.retirement.name().toLowerCase(Locale.ROOT));
            }
        }
    }

    /** Starts what work, warmth and operators want, one by one, and arms the cool-downs that stand in the way. */
    void startWanted(long now) {
        for (Slot slot : candidates(now)) {
            if (pool.closed || !isWanted(slot) || !pool.slots.gateAdmits() || mustWaitForFirst()) {
                continue;
            }
            if (!slot.debt.isBlocked(now)) {
                pool.slots.start(slot, pool.model, now);
            }
        }
        for (Slot slot : pool.slots.all()) {
            if (slot.state == SlotState.COOLING && slot.debt.isBlocked(now) && !pool.closed && isWanted(slot)) {
                pool.outbox.arm(TimerKey.coolDown(slot.index), slot.debt.until());
            } else {
                pool.outbox.disarm(TimerKey.coolDown(slot.index));
            }
        }
    }

    /** Why waiting work can never be done as things stand, empty if it may. */
    Optional<FailureException> hopeless(long now) {
        if (pool.slots.count(slot ->
                        slot.state.isServing() || slot.state == SlotState.STARTING || slot.state == SlotState.RETIRING)
                > 0) {
            return Optional.empty();
        }
        List<Slot> startable = candidates(now);
        if (startable.isEmpty()) {
            return Optional.of(Outcomes.unavailable("every embedding worker is stuck"));
        }
        if (startable.stream().anyMatch(slot -> slot.debt.isTerminal())) {
            return Optional.of(Outcomes.modelUnusable());
        }
        if (startable.stream().allMatch(slot -> slot.debt.isExhausted() && slot.debt.isBlocked(now))) {
            long wait = startable.stream()
                    .mapToLong(slot -> slot.debt.remainingNanos(now))
                    .min()
                    .orElse(0);
            return Optional.of(
                    Outcomes.unavailable("embedding workers do not start").retryAfter(Duration.ofNanos(wait)));
        }
        return pool.slots.gateAdmits()
                ? Optional.empty()
                : Optional.of(Outcomes.unavailable("the memory budget admits no embedding worker"));
    }

    /**
     * Slots that may start. Before a worker of this model was ever ready there is one at a time, so that a model that
     * does not load is not tried by every slot at once, nor extracted twice. One that an operator restarts goes first
     * unless it owes again: what another slot owes is no reason to wait.
     */
    private List<Slot> candidates(long now) {
        List<Slot> vacant = new ArrayList<>();
        for (Slot slot : pool.slots.all()) {
            if (!slot.state.isCharged()) {
                vacant.add(slot);
            }
        }
        boolean proven = pool.identity != null;
        if (!proven && !vacant.isEmpty()) {
            vacant.sort(Comparator.comparing(slot -> !slot.restart || slot.debt.isBlocked(now)));
            return vacant.subList(0, 1);
        }
        // Those without debt first.
        vacant.sort(Comparator.comparing(slot -> slot.debt.isBlocked(now)));
        return vacant;
    }

    private boolean mustWaitForFirst() {
        return pool.identity == null
                && pool.slots.count(slot -> slot.state == SlotState.STARTING && !slot.outdated) > 0;
    }

    private boolean isWanted(Slot slot) {
        int starting = pool.slots.count(other -> other.state == SlotState.STARTING && other.retirement == null);
        int alive = starting + pool.slots.count(other -> other.state.isServing() && other.retirement == null);
        long idle = pool.slots.count(other -> other.state == SlotState.IDLE && other.retirement == null);
        return slot.restart
                || alive < pool.warmWorkers
                || pool.operations.queue().count(pool::mayRun) > starting + idle;
    }
}
