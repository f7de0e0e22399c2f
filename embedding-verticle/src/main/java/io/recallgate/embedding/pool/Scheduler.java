package io.recallgate.embedding.pool;

import io.recallgate.failure.FailureException;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/** What follows from any event: brings work and workers together as far as the state after it allows. */
final class Scheduler {

    private final PoolState pool;
    private final SliceFlow flow;
    private final SlotKeeper keeper;
    private long retentionAt;

    Scheduler(PoolState pool, SliceFlow flow, SlotKeeper keeper) {
        this.pool = pool;
        this.flow = flow;
        this.keeper = keeper;
    }

    /** Brings work and workers together, as far as the state after the event allows. */
    void settleDown(long now) {
        keeper.retireIdle(now);
        if (!pool.closed) {
            boolean sent = true;
            for (Slot slot : pool.slots.all()) {
                if (sent && slot.state == SlotState.IDLE) {
                    sent = flow.dispatch(slot, now);
                }
            }
        }
        letGoOfUnwanted(now);
        pauseForQueries();
        if (!pool.closed) {
            keeper.startWanted(now);
            if (!pool.operations.queue().isEmpty()) {
                keeper.hopeless(now).ifPresent(why -> failWaiting(why, now));
                keeper.startWanted(now);
            }
        } else {
            keeper.startWanted(now);
            endIfDone();
        }
        keeper.endReplacement();
        armRetention(now);
    }

    private void failWaiting(FailureException why, long now) {
        pool.operations.queue().all().forEach(operation -> pool.operations.fail(operation, why, now));
    }

    /** Unwanted work that has not started is taken back; what runs is ended only for work that waits. */
    private void letGoOfUnwanted(long now) {
        List<Slot> abandoned = new ArrayList<>();
        int soonFree = 0;
        for (Slot slot : pool.slots.all()) {
            Slot.Slice slice = slot.slice;
            if (slice == null || !slot.state.isServing()) {
                continue;
            }
            if (slot.state == SlotState.DISPATCHED && slice.isAbandoned()) {
                flow.cancel(slot);
            }
            boolean ending = slot.state == SlotState.DISPATCHED ? slice.cancelSent : slice.terminateSent;
            if (ending) {
                soonFree += slice.overdue ? 0 : 1;
            } else if (slot.state == SlotState.RUNNING && slice.isAbandoned()) {
                abandoned.add(slot);
            }
        }
        if (abandoned.isEmpty()) {
            return;
        }
        int waiting = pool.operations.queue().count(pool::mayRun) - soonFree;
        for (Slot slot : abandoned) {
            if (waiting-- > 0) {
                flow.abandon(slot, now);
            }
        }
    }

    /** One worker for each query that waits leaves its documents off, if it runs them one by one. */
    private void pauseForQueries() {
        int waiting = pool.operations.queue().countQueries(pool::mayRun);
        if (waiting == 0 || pool.closed) {
            return;
        }
        for (Slot slot : pool.slots.all()) {
            Slot.Slice slice = slot.slice;
            if (slice != null && slot.state.isServing() && (slice.pauseSent || slice.terminateSent)) {
                waiting--;
            }
        }
        for (Slot slot : pool.slots.all()) {
            Slot.Slice slice = slot.slice;
            if (waiting > 0
                    && slice != null
                    && slot.state == SlotState.RUNNING
                    && slice.mayPause
                    && !slice.pauseSent
                    && !slice.terminateSent
                    && slice.rows() > 1) {
                flow.pause(slot);
                waiting--;
            }
        }
    }

    private void endIfDone() {
        if (!pool.ended && pool.slots.count(slot -> slot.state.isCharged() && slot.state != SlotState.STUCK) == 0) {
            pool.ended = true;
            reportEnd();
        }
    }

    void reportEnd() {
        pool.outbox.add(new Effect.ShutdownDone(new ShutdownReport(pool.slots.all().stream()
                .filter(slot -> slot.state == SlotState.STUCK)
                .map(slot -> new ShutdownReport.Unconfirmed(slot.index, slot.generation))
                .toList())));
    }

    /** One timer for the oldest entry of what is kept. */
    private void armRetention(long now) {
        if (pool.closed) {
            // Nothing is admitted any more that could meet them.
            pool.quarantine.forgetReturned();
        }
        OptionalLong results = pool.retained.nextExpiry();
        OptionalLong keys = pool.quarantine.nextExpiry(now);
        if (results.isEmpty() && keys.isEmpty()) {
            pool.outbox.disarm(TimerKey.retention());
            return;
        }
        long left = Math.min(
                results.isPresent() ? results.getAsLong() - now : Long.MAX_VALUE,
                keys.isPresent() ? keys.getAsLong() - now : Long.MAX_VALUE);
        if (retentionAt != now + left) {
            pool.outbox.disarm(TimerKey.retention());
        }
        retentionAt = now + left;
        pool.outbox.arm(TimerKey.retention(), retentionAt);
    }
}
