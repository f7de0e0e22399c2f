package io.recallgate.embedding.pool;

import io.recallgate.embedding.api.EmbedInput;
import io.recallgate.embedding.api.ModelIdentity;
import io.recallgate.embedding.api.Priority;
import io.recallgate.embedding.protocol.FromWorker;
import io.recallgate.embedding.protocol.PartResult;
import io.recallgate.embedding.protocol.RunFailure;
import io.recallgate.embedding.protocol.SlicePart;
import io.recallgate.embedding.protocol.StartFailure;
import io.recallgate.embedding.protocol.ToWorker;
import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What must be true of the dispatcher whatever happens (case A26). Keeps books of its own about what really happened
 * and compares; what it reads of the dispatcher's state it judges by its own rules, not by the dispatcher's. Plain
 * checks instead of AssertJ, because they run some hundred million times.
 */
final class Invariants {

    private final Simulation sim;
    private final PoolState pool;
    private final PoolLimits limits;
    private final boolean forgetful;

    private final Set<Long> operationsRunning = new HashSet<>();
    private final Set<String> workRunning = new HashSet<>();
    private final Set<TimerKey> armedOnce = new HashSet<>();
    private final Set<Long> cancelled = new HashSet<>();
    private final Set<Long> successes = new HashSet<>();
    /** Expiries and losses of work, by key, since it was last done. */
    private final Map<OperationKey, Integer> strikes = new HashMap<>();

    /** Slices of several operations. */
    private final Set<Long> shared = new HashSet<>();
    /** Operations that shared a slice with whatever expired or ended its worker. */
    private final Set<Long> suspects = new HashSet<>();
    /** Whether this event ends a shared slice so that nobody knows which of its operations is at fault. */
    private boolean blameless;

    private final Map<Long, Integer> memoryFailures = new HashMap<>();
    /** Whose slice ended in this event with nobody waiting. */
    private final List<Operation> unwanted = new ArrayList<>();

    private Map<Long, Turn> turns = new HashMap<>();
    /** Operations that a worker had been sent and had not started, as of the event before, and where in which slice. */
    private final Map<Long, SentAs> sent = new HashMap<>();

    private final int[] failures = new int[Simulation.SLOTS];
    /** Whether a start since the last good one failed in a way that trying again soon cannot help. */
    private final boolean[] forEver = new boolean[Simulation.SLOTS];

    private final long[] notBefore = new long[Simulation.SLOTS];
    private final Seen[] seen = new Seen[Simulation.SLOTS];
    private final long[] drainingSince = new long[Simulation.SLOTS];
    private final boolean[] draining = new boolean[Simulation.SLOTS];

    private @Nullable PoolEvent event;
    private long number;
    private long now;
    private @Nullable ModelIdentity serving;
    private long measured;
    /** Workers that were there when another model was asked for. */
    private final Set<@Nullable SimWorker> outdated = new HashSet<>();

    private int queriesInARow;
    private boolean closed;
    private boolean ended;
    private int ends;

    /** A slot as it was seen: the same for as long as it is at the same thing. */
    private record Seen(SlotState state, long generation, long slice, int failures, long since) {
        boolean isSame(Slot slot) {
            return state == slot.state && generation == slot.generation && slice == sliceOf(slot);
        }
    }

    /** Where an operation stood in its line after the event before: the lower, the earlier its turn. */
    private record Turn(Priority line, int place) {}

    /**
     * @param key as which it was sent
     * @param row where it must still be to be one that had nothing of its slice; negative for anywhere
     */
    private record SentAs(long slice, int place, OperationKey key, int row) {
        /** Whether it went back for another model, which forgets what it had: nothing is known of its place then. */
        boolean isAnother(Operation operation) {
            return row >= 0 && !key.equals(operation.key);
        }

        boolean hadNothing(Operation operation) {
            return row < 0 || row == operation.nextRow();
        }
    }

    Invariants(Simulation sim, boolean forgetful) {
        this.sim = sim;
        this.pool = sim.pool;
        this.limits = sim.limits;
        this.forgetful = forgetful;
        Arrays.setAll(seen, slot -> new Seen(SlotState.EMPTY, 0, 0, 0, 0));
    }

    static void require(boolean held, String otherwise) {
        if (!held) {
            throw new AssertionError(otherwise);
        }
    }

    private static AssertionError broken(String what, @Nullable Object where) {
        return new AssertionError(what + ": " + where);
    }

    private static long sliceOf(Slot slot) {
        return slot.slice == null ? 0 : slot.slice.id;
    }

    // ---- around an event

    /** Takes note of what this event means, while the pool is as it was. */
    void before(PoolEvent next, long at) {
        require(at - now >= 0 || number == 0, "time runs backwards");
        event = next;
        now = at;
        number++;
        blameless = false;
        if (next instanceof PoolEvent.WorkerSpoke spoke) {
            heard(spoke.message());
        } else if (next instanceof PoolEvent.SlotExited exit) {
            exits(exit);
        } else if (next instanceof PoolEvent.TimerFired fired) {
            fires(fired.key());
        } else if (next instanceof PoolEvent.ReplaceModel && !closed) {
            serving = null;
            measured = 0;
            Stream.of(sim.charged).filter(Objects::nonNull).forEach(outdated::add);
            for (int slot = 0; slot < Simulation.SLOTS; slot++) {
                owesNothing(slot);
            }
        } else if (next instanceof PoolEvent.RestartSlot restart && !closed) {
            owesNothing(restart.slot());
        } else if (next instanceof PoolEvent.CancelWaiter cancel) {
            cancelled.add(cancel.waiter());
        } else if (next instanceof PoolEvent.Submit submit && submit.cancelled() != null) {
            cancelled.add(submit.waiter());
        } else if (next instanceof PoolEvent.Shutdown) {
            closed = true;
        }
    }

    private void measured(SimWorker worker) {
        if (!outdated.contains(worker)) {
            measured = Math.max(measured, worker.charge);
        }
    }

    private void heard(FromWorker message) {
        SimWorker worker = sim.charged[message.slot()];
        Slot slot = pool.slots.all().get(message.slot());
        if (worker == null || worker.generation != message.generation()) {
            return;
        }
        if (message instanceof FromWorker.Ready && slot.state == SlotState.STARTING) {
            owesNothing(slot.index);
            worker.charge = worker.bytes;
            measured(worker);
            if (!outdated.contains(worker)) {
                serving = worker.model;
            }
        } else if (message instanceof FromWorker.StartFailed failed && slot.state == SlotState.STARTING) {
            owes(slot.index, failed.failure() == StartFailure.TERMINAL);
            sim.charged[slot.index] = null;
        } else if (message instanceof FromWorker.Grew grew && slot.identity != null) {
            worker.charge = Math.max(worker.charge, grew.chargedBytes());
            measured(worker);
        } else if (message instanceof FromWorker.Completed done) {
            answered(slot, done.sliceId(), done.parts(), null);
        } else if (message instanceof FromWorker.Failed failed) {
            answered(slot, failed.sliceId(), failed.finished(), failed.failure());
        } else if (message instanceof FromWorker.Terminated ended) {
            answered(slot, ended.sliceId(), ended.finished(), null);
        }
    }

    private void answered(Slot slot, long sliceId, List<PartResult> parts, @Nullable RunFailure failure) {
        Slot.Slice slice = slot.slice;
        boolean givenUp = slice != null && slice.expired && !shared.contains(sliceId);
        if (slice == null || slice.id != sliceId || givenUp || !slot.state.isServing()) {
            return;
        }
        for (Operation operation : slice.operations) {
            if (!operation.hasWaiters()) {
                unwanted.add(operation);
            }
            if (failure == RunFailure.OUT_OF_MEMORY) {
                memoryFailures.merge(operation.id, 1, Integer::sum);
            }
            for (PartResult part : parts) {
                if (part.operationId() == operation.id && !part.rows().isEmpty()) {
                    strikes.remove(operation.key);
                }
            }
        }
    }

    private void exits(PoolEvent.SlotExited exit) {
        SimWorker worker = sim.charged[exit.slot()];
        if (worker == null || worker.generation != exit.generation()) {
            return;
        }
        Slot slot = pool.slots.all().get(exit.slot());
        if (slot.state == SlotState.STARTING || slot.state.isServing()) {
            owes(slot.index, false);
        }
        if (slot.state == SlotState.RUNNING && slot.slice != null && !slot.slice.expired) {
            struck(slot.slice);
        }
        sim.charged[exit.slot()] = null;
    }

    private void fires(TimerKey key) {
        if (key.kind() == TimerKey.Kind.INITIALISATION) {
            owes(key.slot(), false);
        } else if (key.kind() == TimerKey.Kind.EXECUTION) {
            Slot.Slice slice = pool.slots.all().get(key.slot()).slice;
            if (slice != null) {
                struck(slice);
            }
        }
    }

    private void struck(Slot.Slice slice) {
        blameless = shared.contains(slice.id);
        for (Operation operation : slice.operations) {
            strikes.merge(operation.key, 1, Integer::sum);
            if (blameless) {
                suspects.add(operation.id);
            }
        }
    }

    private void owesNothing(int slot) {
        failures[slot] = 0;
        forEver[slot] = false;
    }

    private void owes(int slot, boolean forGood) {
        if (outdated.contains(sim.charged[slot])) {
            return; // what it does wrong says nothing about the model that is to serve
        }
        failures[slot]++;
        List<Duration> waits = limits.retry().waits();
        forEver[slot] |= forGood;
        boolean slow = forEver[slot] || failures[slot] > waits.size();
        notBefore[slot] = now + (slow ? limits.retry().selfHealing() : waits.get(failures[slot] - 1)).toNanos();
    }

    /** Holds the pool, as this event left it, to all that must be true. */
    void after(PoolEvent done) {
        if (done instanceof PoolEvent.CancelWaiter cancel) {
            require(!sim.unsettled.containsKey(cancel.waiter()), "a caller that cancelled is not answered at once");
        }
        if (done instanceof PoolEvent.ReplaceModel && !closed) {
            require(pool.retained.size() == 0, "rows of the old model are kept after its replacement");
        }
        if (done instanceof PoolEvent.Submit submit) {
            submitted(submit);
        }
        for (Operation operation : unwanted) {
            boolean useful = operation.nextRow() > 0 && operation.key.model().equals(pool.edition) && !closed;
            require(
                    !useful || operation.state == OperationState.FAILED || pool.retained.size() > 0,
                    "finished rows are thrown away");
        }
        unwanted.clear();
        if (closed) {
            require(sim.unsettled.isEmpty(), "somebody waits for a pool that is closed");
            require(pool.operations.queue().isEmpty(), "work waits in a pool that is closed");
        }
        boolean callerLeft = done instanceof PoolEvent.CancelWaiter
                || (done instanceof PoolEvent.TimerFired fired && fired.key().kind() == TimerKey.Kind.WAITER_DEADLINE);
        pool.slots.all().forEach(slot -> slotHolds(slot, callerLeft));
        operationsHold();
        timersMatch();
        workMovesOn();
        timely();
        if (number % 64 == 0) {
            snapshotAgrees();
        }
    }

    private void submitted(PoolEvent.Submit submit) {
        OperationKey key = new OperationKey(pool.edition, submit.inputType(), OperationKey.digest(submit.inputs()));
        if (pool.operations.ofWaiter(submit.waiter()) == null) {
            return;
        }
        for (SimWorker worker : sim.charged) {
            Slot.Slice slice = worker == null ? null : pool.slots.all().get(worker.slot).slice;
            if (worker == null || slice == null || worker.running == null) {
                continue;
            }
            require(
                    slice.operations.stream().noneMatch(o -> o.state == OperationState.EXPIRED && o.key.equals(key)),
                    "work is admitted that a lost thread is still busy with");
        }
        require(pool.retained.peek(key) == null, "a retained result stays after it was used");
    }

    // ---- slots and workers

    private void slotHolds(Slot slot, boolean callerLeft) {
        SimWorker worker = sim.charged[slot.index];
        require(slot.state.isCharged() == (worker != null), "a slot is charged without a worker, or the other way");
        if (slot.chargedBytes != (worker == null ? 0 : worker.charge)) {
            throw broken("charged bytes are not what the worker holds", slot.index + " " + slot.state);
        }
        if (slot.debt.failures() != failures[slot.index]) {
            throw broken("retry debt is not what failed", slot.index + " " + slot.debt.failures());
        }
        if (worker != null) {
            require(slot.generation == worker.generation, "a slot's generation is not its worker's");
            ToWorker.Dispatch running = worker.running;
            if (running != null && sliceOf(slot) != running.sliceId()) {
                throw broken("a slot does not hold what its worker runs", slot.index + " " + slot.state);
            }
            require(running == null || slot.state != SlotState.IDLE, "a slot is idle while its worker runs");
        }
        boolean holds = slot.state == SlotState.DISPATCHED || slot.state == SlotState.RUNNING;
        require(holds == (slot.slice != null) || !slot.state.isServing(), "a serving slot without its slice");
        require(
                slot.tokenCap >= limits.slice().floorTokens()
                        && slot.tokenCap <= limits.slice().paddedTokens(),
                "a token cap is out of bounds");
        Seen before = seen[slot.index];
        if (callerLeft && before.state().isCharged()) {
            require(
                    slot.generation == before.generation()
                            && slot.debt.failures() == before.failures()
                            && (slot.state == before.state() || before.state() == SlotState.IDLE),
                    "a caller that left changed a worker");
        }
        if (!before.isSame(slot) || before.failures() != slot.debt.failures()) {
            long since = before.isSame(slot) ? before.since() : now;
            seen[slot.index] = new Seen(slot.state, slot.generation, sliceOf(slot), slot.debt.failures(), since);
        }
        boolean drains = slot.retirement != null && slot.state.isCharged();
        if (drains && !draining[slot.index]) {
            drainingSince[slot.index] = now;
        }
        draining[slot.index] = drains;
    }

    /** Nothing has lasted longer than its watchdog lets it, as of the clock's present time. */
    void timely() {
        long at = sim.clock.nanoTime();
        PoolLimits.Watchdogs spans = limits.watchdogs();
        for (Seen slot : seen) {
            long bound =
                    switch (slot.state()) {
                        case STARTING -> spans.initialisation().toNanos();
                        case DISPATCHED -> spans.dispatch().toNanos();
                        case RUNNING ->
                            spans.execution().plus(spans.terminationGrace()).toNanos();
                        case RETIRING -> spans.exitGrace().toNanos();
                        case EMPTY, COOLING, IDLE, STUCK -> Long.MAX_VALUE;
                    };
            if (at - slot.since() > bound) {
                throw broken("a slot outlived its watchdog", slot);
            }
        }
        for (int slot = 0; slot < Simulation.SLOTS; slot++) {
            if (draining[slot] && seen[slot].state() != SlotState.STUCK && seen[slot].state() != SlotState.RETIRING) {
                long bound = spans.drain().plus(spans.terminationGrace()).toNanos();
                require(at - drainingSince[slot] <= bound, "a slot outlived its drain bound");
            }
        }
        for (PoolEvent.Submit submit : sim.unsettled.values()) {
            require(submit.deadlineNanos() - at >= 0, "a waiter outlived its deadline");
        }
    }

    // ---- operations and waiters

    private void operationsHold() {
        Set<Operation> live = new HashSet<>(pool.operations.queue().all());
        for (Operation operation : live) {
            require(operation.state == OperationState.QUEUED, "work in the queue is not waiting");
            if (!operation.key.model().equals(pool.edition)) {
                throw broken("waiting work is for a model that does not serve", operation.key);
            }
            require(operation.hasWaiters(), "work waits that nobody waits for");
        }
        for (Slot slot : pool.slots.all()) {
            if (slot.slice != null) {
                for (Operation operation : slot.slice.operations) {
                    if (!operation.state.isFinal() && operation.state != OperationState.EXPIRED) {
                        live.add(operation);
                    }
                    require(
                            operation.state != OperationState.EXPIRED || !operation.hasWaiters(),
                            "somebody waits for expired work");
                }
            }
        }
        int documents = 0;
        int waiters = 0;
        long bytes = 0;
        long documentBytes = 0;
        for (Operation operation : live) {
            bytes += operation.bytes;
            waiters += operation.waiters.size();
            if (operation.admittedAs == Priority.DOCUMENT) {
                documents++;
                documentBytes += operation.bytes;
            }
            require(
                    operation.waiters.size() <= limits.queue().waitersPerOperation(),
                    "too many wait for one operation");
            for (long waiter : operation.waiters) {
                PoolEvent.Submit submit = sim.unsettled.get(waiter);
                require(submit != null, "an operation has a waiter that settled");
                require(
                        submit != null && submit.inputs().equals(operation.inputs()),
                        "a waiter waits for the work of another");
            }
        }
        PoolLimits.Queue queue = limits.queue();
        require(pool.operations.live() == live.size(), "live operations are counted wrong");
        require(pool.operations.liveBytes() == bytes, "the bytes of live operations are counted wrong");
        require(waiters == sim.unsettled.size(), "a waiter belongs to no operation");
        require(live.size() <= queue.operations() && bytes <= queue.bytes(), "the queue is over its bound");
        require(
                documents <= queue.documentOperations() && documentBytes <= queue.documentBytes(),
                "documents are over their bound");
        require(pool.retained.size() <= limits.retention().results(), "too many results are kept");
        require(
                pool.quarantine.size() <= Math.max(limits.retention().quarantined(), pool.quarantine.busyKeys()),
                "too many expiries are remembered");
    }

    private int runnable(@Nullable Priority line) {
        int count = 0;
        for (Operation operation : pool.operations.queue().all()) {
            if ((line == null || operation.priority == line) && pool.mayRun(operation)) {
                count++;
            }
        }
        return count;
    }

    /** Work that could be done is being done, or somebody is on the way to do it. */
    private void workMovesOn() {
        if (closed) {
            return;
        }
        List<Operation> queued = pool.operations.queue().all();
        int waiting = runnable(null);
        int idle = 0;
        int coming = 0;
        int ending = 0;
        boolean hope = false;
        List<Slot> abandoned = new ArrayList<>();
        for (Slot slot : pool.slots.all()) {
            Slot.Slice slice = slot.slice;
            idle += slot.state == SlotState.IDLE ? 1 : 0;
            coming += slot.state == SlotState.STARTING ? 1 : 0;
            hope |= slot.state.isCharged() && slot.state != SlotState.STUCK;
            hope |= slot.state == SlotState.COOLING && sim.timers.containsKey(TimerKey.coolDown(slot.index));
            if (slice != null && slot.state.isServing()) {
                boolean unwanted = slice.operations.stream().allMatch(operation -> operation.waiters.isEmpty());
                if (unwanted && slot.state == SlotState.DISPATCHED) {
                    require(slice.cancelSent, "work that nobody wants is not taken back before it starts");
                } else if (unwanted && !slice.terminateSent) {
                    abandoned.add(slot);
                }
                ending += slice.cancelSent || slice.terminateSent ? 1 : 0;
            }
        }
        require(idle == 0 || waiting == 0, "a worker is idle while work waits");
        documentsLeaveOff();
        require(hope || queued.isEmpty(), "work waits and nobody comes to do it");
        require(abandoned.isEmpty() || waiting <= ending, "a worker is left with unwanted work while other work waits");
        if (waiting > coming + idle && (pool.identity != null || coming == 0) && gateAdmits()) {
            for (Slot slot : pool.slots.all()) {
                boolean owes = failures[slot.index] > 0 && notBefore[slot.index] - now > 0;
                boolean first = pool.identity != null || slot.index == firstVacant();
                require(slot.state.isCharged() || owes || !first, "work waits and a slot that may start does not");
            }
        }
        turns(queued);
    }

    private int firstVacant() {
        for (Slot slot : pool.slots.all()) {
            if (!slot.state.isCharged()) {
                return slot.index;
            }
        }
        return -1;
    }

    /** Who waits keeps its place; who comes goes behind it, unless it was sent and had nothing of it. */
    private void turns(List<Operation> queued) {
        Map<Long, Turn> next = new HashMap<>();
        for (Priority line : Priority.values()) {
            int last = -1;
            boolean newcomers = false;
            SentAs returned = null;
            for (Operation operation : queued) {
                if (operation.priority == line) {
                    Turn turn = turns.get(operation.id);
                    boolean stayed = turn != null && turn.line() == line;
                    if (turn != null && stayed) {
                        require(!newcomers && turn.place() > last, "waiting work lost its place");
                        last = turn.place();
                    } else {
                        SentAs as = sent.get(operation.id);
                        if (as != null && as.isAnother(operation)) {
                            next.put(operation.id, new Turn(line, next.size()));
                            continue;
                        }
                        as = as != null && as.hadNothing(operation) ? as : null;
                        newcomers |= as == null;
                        require(
                                as == null
                                        || returned == null
                                        || as.slice() != returned.slice()
                                        || as.place() > returned.place(),
                                "work that was sent and had nothing of it comes back in another order");
                        returned = as;
                    }
                    next.put(operation.id, new Turn(line, next.size()));
                }
            }
        }
        turns = next;
        sent.clear();
        for (Slot slot : pool.slots.all()) {
            boolean dispatched = slot.state == SlotState.DISPATCHED;
            if (slot.slice != null && (dispatched || (slot.state == SlotState.RUNNING && slot.slice.pauseSent))) {
                List<Operation> operations = slot.slice.operations;
                for (int place = 0; place < operations.size(); place++) {
                    Operation operation = operations.get(place);
                    sent.put(
                            operation.id,
                            new SentAs(slot.slice.id, place, operation.key, dispatched ? -1 : operation.nextRow()));
                }
            }
        }
    }

    // ---- effects

    private boolean gateAdmits() {
        long next = measured > 0 ? measured : limits.expectedWorkerBytes();
        return sim.budget - held() >= next;
    }

    private long held() {
        long held = 0;
        for (SimWorker worker : sim.charged) {
            held += worker == null ? 0 : worker.charge;
        }
        return held;
    }

    void starts(SimWorker worker) {
        require(!closed, "a worker starts in a pool that is closed");
        require(sim.charged[worker.slot] == null, "a worker starts beside another in its slot");
        require(gateAdmits(), "a worker starts that memory has no room for");
        require(
                failures[worker.slot] == 0 || notBefore[worker.slot] - now <= 0,
                "a worker starts before its slot has cooled down");
        require(worker.model.name().equals(pool.model), "a worker starts with another model than the configured one");
        for (SimWorker other : sim.workers) {
            require(
                    other.slot != worker.slot || other.generation < worker.generation,
                    "a generation is used a second time");
            require(
                    serving != null || other != sim.charged[other.slot] || !isStarting(other),
                    "two workers start at once on a model that was never loaded");
        }
        worker.charge = measured > 0 ? measured : limits.expectedWorkerBytes();
    }

    private boolean isStarting(SimWorker worker) {
        return pool.slots.all().get(worker.slot).state == SlotState.STARTING && !outdated.contains(worker);
    }

    void sends(ToWorker message) {
        if (message instanceof ToWorker.Dispatch dispatch) {
            dispatches(dispatch);
        } else if (message instanceof ToWorker.Terminate terminate) {
            terminates(terminate);
        } else if (message instanceof ToWorker.Pause pause) {
            pauses(pause);
        }
        require(!ended, "something is sent after the end");
    }

    private void pauses(ToWorker.Pause message) {
        Slot.Slice slice = pool.slots.all().get(message.slot()).heldSlice();
        require(
                slice.operations.stream().noneMatch(operation -> operation.admittedAs == Priority.QUERY),
                "a query leaves off");
        require(slice.rows() > 1, "a slice of one row leaves off");
        require(leavingOff() <= runnable(Priority.QUERY), "documents leave off although no query waits for it");
    }

    /** Workers that were told to leave off and have not yet. */
    private long leavingOff() {
        return pool.slots.count(slot -> slot.slice != null && slot.state.isServing() && slot.slice.pauseSent);
    }

    /** A query waits for no more rows of documents than run, where workers run them one by one. */
    private void documentsLeaveOff() {
        long ending = pool.slots.count(slot ->
                slot.slice != null && slot.state.isServing() && (slot.slice.pauseSent || slot.slice.terminateSent));
        long could = pool.slots.count(slot -> slot.slice != null
                && slot.state == SlotState.RUNNING
                && slot.slice.mayPause
                && slot.slice.rows() > 1
                && !slot.slice.pauseSent
                && !slot.slice.terminateSent);
        require(could == 0 || runnable(Priority.QUERY) <= ending, "a query waits for documents that could leave off");
    }

    private void terminates(ToWorker.Terminate message) {
        Slot slot = pool.slots.all().get(message.slot());
        Slot.Slice slice = slot.slice;
        boolean drained = event instanceof PoolEvent.TimerFired fired
                && fired.key().equals(TimerKey.of(TimerKey.Kind.DRAIN, slot.index, slot.generation));
        if (!slot.state.isServing() || slice == null || slice.expired || drained) {
            return;
        }
        for (Operation operation : slice.operations) {
            require(operation.waiters.isEmpty(), "a run is ended that somebody waits for");
        }
        require(runnable(null) > 0, "a run is ended although nothing else waits");
    }

    private void dispatches(ToWorker.Dispatch dispatch) {
        Slot slot = pool.slots.all().get(dispatch.slot());
        SimWorker worker = sim.charged[dispatch.slot()];
        require(!closed, "work is sent after admission closed");
        require(worker != null && worker.generation == dispatch.generation(), "work is sent to a worker that is gone");
        Slot.Slice slice = slot.heldSlice();
        Priority priority = slice.operations.get(0).priority;
        if (dispatch.parts().size() > 1) {
            shared.add(dispatch.sliceId());
        }
        int longest = 0;
        for (SlicePart part : dispatch.parts()) {
            Operation operation = slice.operations.stream()
                    .filter(candidate -> candidate.id == part.operationId())
                    .findFirst()
                    .orElseThrow();
            require(
                    operation.key.model().equals(pool.edition) && !outdated.contains(worker),
                    "work of another model is sent, or to a worker of one");
            require(part.rowOffset() == operation.nextRow(), "rows are sent that are not the next ones");
            require(
                    operation
                            .inputs()
                            .subList(
                                    part.rowOffset(),
                                    part.rowOffset() + part.rows().size())
                            .equals(part.rows()),
                    "other rows are sent than were asked for");
            require(memoryFailures.getOrDefault(operation.id, 0) < 2, "work runs again after memory ran out twice");
            require(forgetful || strikes.getOrDefault(operation.key, 0) < 2, "poison takes a third slot");
            require(
                    dispatch.rows() == 1 || !(operation.alone || suspects.contains(operation.id)),
                    "suspect rows run in company");
            for (EmbedInput row : part.rows()) {
                longest = Math.max(longest, 3 * ((EmbedInput.Text) row).text().length() + 16);
            }
        }
        require(dispatch.rows() <= limits.slice().rows(), "a slice has too many rows");
        require(dispatch.rows() == 1 || longest * dispatch.rows() <= slot.tokenCap, "a slice is over its token cap");
        require(
                dispatch.parts().size() == 1
                        || priority == Priority.DOCUMENT
                        || (worker != null && worker.batchInvariant),
                "queries share a slice that runs row by row");
        fair(slice.operations.get(0), priority);
    }

    private void fair(Operation first, Priority priority) {
        Turn own = turns.get(first.id);
        for (Operation waiting : pool.operations.queue().all()) {
            Turn turn = turns.get(waiting.id);
            if (turn != null && turn.line() == priority && waiting.priority == priority && pool.mayRun(waiting)) {
                boolean before = own != null && own.line() == priority && own.place() < turn.place();
                require(before || sent.containsKey(first.id), "work is served before its turn");
            }
        }
        queriesInARow = priority == Priority.QUERY && runnable(Priority.DOCUMENT) > 0 ? queriesInARow + 1 : 0;
        require(queriesInARow <= limits.queue().queriesPerDocument(), "documents starve");
    }

    void retires(SimWorker worker) {
        require(sim.charged[worker.slot] == worker, "a worker is retired that holds no slot");
    }

    void arms(TimerKey key, long at) {
        require(!ended, "a timer is armed after the end");
        PoolLimits.Watchdogs spans = limits.watchdogs();
        Duration span =
                switch (key.kind()) {
                    case INITIALISATION -> spans.initialisation();
                    case DISPATCH -> spans.dispatch();
                    case EXECUTION -> spans.execution();
                    case TERMINATION_GRACE -> spans.terminationGrace();
                    case EXIT_GRACE -> spans.exitGrace();
                    default -> null;
                };
        if (span != null) {
            require(armedOnce.add(key), "a watchdog is armed a second time");
            require(at - now == span.toNanos(), "a watchdog is armed for another span than its own");
        }
    }

    /** Every timer watches something that is there, and everything that must be watched is. */
    private void timersMatch() {
        int deadlines = 0;
        for (Map.Entry<TimerKey, Simulation.Armed> timer : sim.timers.entrySet()) {
            TimerKey key = timer.getKey();
            if (key.kind() == TimerKey.Kind.WAITER_DEADLINE) {
                deadlines++;
                PoolEvent.Submit submit = sim.unsettled.get(key.subject());
                require(
                        submit != null
                                && submit.deadlineNanos() == timer.getValue().at(),
                        "a deadline is armed for nobody, or for another time");
            } else if (key.kind() != TimerKey.Kind.RETENTION) {
                if (!watches(key, pool.slots.all().get(key.slot()))) {
                    throw broken("a timer watches nothing", key);
                }
            }
        }
        require(deadlines == sim.unsettled.size(), "a waiter has no deadline");
        require(sim.timers.size() == pool.outbox.armedTimers(), "timers are counted wrong");
        for (Slot slot : pool.slots.all()) {
            Slot.Slice slice = slot.slice;
            TimerKey needed =
                    switch (slot.state) {
                        case STARTING -> TimerKey.of(TimerKey.Kind.INITIALISATION, slot.index, slot.generation);
                        case DISPATCHED -> TimerKey.of(TimerKey.Kind.DISPATCH, slot.index, sliceOf(slot));
                        case RUNNING ->
                            TimerKey.of(
                                    slice != null && slice.expired
                                            ? TimerKey.Kind.TERMINATION_GRACE
                                            : TimerKey.Kind.EXECUTION,
                                    slot.index,
                                    sliceOf(slot));
                        case RETIRING -> TimerKey.of(TimerKey.Kind.EXIT_GRACE, slot.index, slot.generation);
                        case EMPTY, COOLING, IDLE, STUCK -> null;
                    };
            if (needed != null && !sim.timers.containsKey(needed)) {
                throw broken("nothing watches over a slot", needed);
            }
        }
    }

    private static boolean watches(TimerKey key, Slot slot) {
        boolean generation = key.subject() == slot.generation;
        boolean slice = key.subject() == sliceOf(slot);
        return switch (key.kind()) {
            case INITIALISATION -> generation && slot.state == SlotState.STARTING;
            case DISPATCH -> slice && slot.state == SlotState.DISPATCHED;
            case EXECUTION, TERMINATION_GRACE, ABANDONMENT -> slice && slot.state == SlotState.RUNNING;
            case EXIT_GRACE -> generation && slot.state == SlotState.RETIRING;
            case DRAIN ->
                generation && slot.retirement != null && (slot.state.isServing() || slot.state == SlotState.STARTING);
            case COOL_DOWN -> slot.state == SlotState.COOLING;
            case WAITER_DEADLINE, RETENTION -> true;
        };
    }

    // ---- answers

    void settles(PoolEvent.Submit submit, WaiterOutcome outcome) {
        long left = submit.deadlineNanos() - now;
        if (outcome instanceof WaiterOutcome.Success success) {
            successes.add(submit.waiter());
            require(left >= 0, "a waiter is served after its deadline");
            ModelIdentity by = success.result().model();
            require(
                    success.result()
                            .vectors()
                            .equals(submit.inputs().stream()
                                    .map(input -> SimWorker.vector(by, input))
                                    .toList()),
                    "a result has other vectors than the ones of its model and rows");
            if (event instanceof PoolEvent.Submit asked && asked.waiter() == submit.waiter()) {
                require(by.equals(serving), "kept rows of a model that does not serve are handed out");
                require(
                        pool.retained.peek(new OperationKey(
                                        pool.edition, asked.inputType(), OperationKey.digest(asked.inputs())))
                                == null,
                        "a retained result is used twice");
            }
            return;
        }
        FailureException failure = ((WaiterOutcome.Failure) outcome).failure();
        FailureCode code = failure.code();
        require(left >= 0 || event instanceof PoolEvent.Submit, "a waiter settles after its deadline");
        require(code != FailureCode.DEADLINE_EXCEEDED || left <= 0, "a waiter is told too early that it is too late");
        require(code != FailureCode.CANCELLED || cancelled.contains(submit.waiter()), "nobody cancelled");
        require(code != FailureCode.SHUTTING_DOWN || closed, "nobody shuts down");
        require(code != FailureCode.INTERNAL, "a defect of the pool");
        boolean expired = event instanceof PoolEvent.TimerFired
                && (code == FailureCode.QUARANTINED || code == FailureCode.EMBEDDING_GIVEN_UP);
        require(
                !blameless || !(expired || code == FailureCode.EMBEDDING_FAILED),
                "work is blamed for what may be its neighbour's fault");
        require(
                !String.valueOf(failure.getMessage()).contains("cannot be embedded")
                        || submit.inputs().stream().anyMatch(sim::isPoison),
                "work fails for the poison of its neighbour");
    }

    void ends(ShutdownReport report) {
        require(closed, "nobody asked for the end");
        ended = true;
        ends++;
        int stuck = 0;
        for (SimWorker worker : sim.charged) {
            stuck += worker == null ? 0 : 1;
        }
        require(report.unconfirmed().size() == stuck, "the shutdown reports other workers than those that remain");
    }

    // ---- what workers really do

    void began(SimWorker worker, ToWorker.Dispatch dispatch) {
        for (SlicePart part : dispatch.parts()) {
            require(operationsRunning.add(part.operationId()), "an operation runs twice at once");
            require(workRunning.add(work(worker, part)), "the same work runs twice at once, as two operations");
        }
    }

    void ended(SimWorker worker, ToWorker.Dispatch dispatch) {
        for (SlicePart part : dispatch.parts()) {
            operationsRunning.remove(part.operationId());
            workRunning.remove(work(worker, part));
        }
    }

    /** Each row begins with the letter of its text, which tells this simulation's work apart. */
    private static String work(SimWorker worker, SlicePart part) {
        char letter = ((EmbedInput.Text) part.rows().get(0)).text().charAt(0);
        return worker.model.fingerprint() + part.inputType() + letter;
    }

    // ---- at rest

    /** After everything healed, a healthy pool serves. */
    void served(PoolEvent.Submit probe) {
        require(!sim.unsettled.containsKey(probe.waiter()), "a healed pool does not answer");
        require(successes.contains(probe.waiter()), "a healed pool does not serve");
    }

    private void snapshotAgrees() {
        PoolSnapshot shown = sim.dispatcher.snapshot(now);
        require(shown.waiters() == sim.unsettled.size(), "the snapshot shows other waiters");
        require(shown.gate().chargedBytes() == held(), "the snapshot shows other charged bytes");
        require(shown.operations() == pool.operations.live(), "the snapshot shows other operations");
        require(
                shown.queries().depth() + shown.documents().depth()
                        == pool.operations.queue().all().size(),
                "the snapshot shows another queue");
    }

    void nothingRemains() {
        now = sim.clock.nanoTime();
        snapshotAgrees();
        require(sim.unsettled.isEmpty(), "waiters that never settled");
        require(pool.operations.waiters() == 0, "waiters at rest");
        require(pool.operations.live() == 0 && pool.operations.liveBytes() == 0, "operations or bytes at rest");
        require(pool.operations.queue().isEmpty(), "a queue at rest");
        if (!sim.timers.isEmpty() || sim.dispatcher.armedTimers() != 0) {
            throw broken("timers at rest", sim.timers.keySet());
        }
        require(sim.clock.pending() == 0, "tasks at rest");
        require(sim.dispatcher.tombstones() == 0, "tombstones at rest");
        require(operationsRunning.isEmpty() && workRunning.isEmpty(), "runs at rest");
        int alive = 0;
        for (SimWorker worker : sim.workers) {
            alive += worker.alive ? 1 : 0;
        }
        int charged = 0;
        for (SimWorker worker : sim.charged) {
            charged += worker == null ? 0 : 1;
        }
        require(alive == charged, "slots are charged for other workers than those that live");
        require(ends > 0 == closed, "a shutdown is answered, and nothing else is");
    }
}
