package io.recallgate.embedding.pool;

import io.recallgate.embedding.protocol.FromWorker;
import io.recallgate.time.CancelCause;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The embedding pool's reducer: an event and the time go in, effects come out. It owns all operations, waiters, slots,
 * generations, watchdogs and retry debt; it has no thread, no clock and no I/O. Not thread-safe: whoever owns it
 * delivers all events, one at a time, and performs the effects in order.
 *
 * <p>A caller's cancellation or deadline settles that caller and nothing else. Workers end for reasons of their own:
 * watchdogs, replacement, an operator, shutdown.
 */
public final class Dispatcher {

    private static final Logger LOG = LoggerFactory.getLogger(Dispatcher.class);

    private final PoolState pool;
    private final Admission admission;
    private final SliceFlow flow;
    private final SliceReplies replies;
    private final SlotKeeper keeper;
    private final Scheduler scheduler;
    private final SlotAudit audit;
    private final Events events = new Events();
    private final Messages messages = new Messages();
    private final boolean strict;
    /** The time of the event that is being handled. */
    private long now;

    /**
     * A pool of empty slots; nothing starts before an event wants it.
     *
     * @param model what workers load at first: a bundled name or a directory
     * @param nowNanos the time, on the clock of all later calls
     */
    public Dispatcher(String model, PoolLimits limits, long nowNanos) {
        this(new PoolState(model, limits, nowNanos), nowNanos, false);
    }

    /** @param strict whether an illegal edge is thrown to the caller instead of failing the one operation */
    Dispatcher(PoolState pool, long nowNanos, boolean strict) {
        this.pool = pool;
        this.admission = new Admission(pool);
        this.flow = new SliceFlow(pool);
        this.replies = new SliceReplies(pool, flow);
        this.keeper = new SlotKeeper(pool, flow);
        this.scheduler = new Scheduler(pool, flow, keeper);
        this.audit = new SlotAudit(pool);
        this.strict = strict;
        this.now = nowNanos;
    }

    /**
     * Takes one event.
     *
     * @param nowNanos never earlier than at the event before
     * @return what is to be done, in this order
     */
    public List<Effect> handle(PoolEvent event, long nowNanos) {
        now = nowNanos;
        guarded(() -> {
            pool.retained.expire(now);
            pool.quarantine.expire(now);
            event.deliverTo(events);
        });
        guarded(() -> scheduler.settleDown(now));
        guarded(() -> audit.check(now));
        return pool.outbox.drain();
    }

    /** Where the work of a waiter is, empty for one that has settled. */
    public Optional<OperationState> stateOf(long waiter) {
        Operation operation = pool.operations.ofWaiter(waiter);
        return operation == null ? Optional.empty() : Optional.of(operation.state);
    }

    /** All of the pool as it is now. */
    public PoolSnapshot snapshot(long nowNanos) {
        return Snapshots.of(pool, nowNanos);
    }

    /** Timers that are armed; zero at rest. */
    int armedTimers() {
        return pool.outbox.armedTimers();
    }

    /** Keys remembered for one reason or another; zero at rest, after their time. */
    int tombstones() {
        return pool.quarantine.size() + pool.retained.size();
    }

    private Slot slot(TimerKey key) {
        return pool.slots.all().get(key.slot());
    }

    private void guarded(Runnable step) {
        try {
            step.run();
        } catch (IllegalEdgeException e) {
            contain(e, Counters.Name.ILLEGAL_EDGES, e.operation());
        } catch (DefectException e) {
            contain(e, Counters.Name.DEFECTS, e.operation());
        } catch (RuntimeException e) {
            contain(e, Counters.Name.DEFECTS, null);
        }
    }

    /** What was decided before it stands and is performed; what it left undone has watchdogs and deadlines. */
    private void contain(RuntimeException defect, Counters.Name counter, @Nullable Operation operation) {
        pool.counters.count(counter);
        if (strict) {
            throw defect;
        }
        LOG.error("a defect of the embedding pool", defect);
        if (operation != null) {
            pool.operations.abandon(operation);
            pool.slots.all().forEach(slot -> slot.disown(operation));
        }
    }

    /** What each event means. */
    private final class Events implements PoolEvent.Handler {
        @Override
        public void submit(PoolEvent.Submit event) {
            admission.submit(event, now);
        }

        @Override
        public void refuse(PoolEvent.Refuse event) {
            admission.refuse(event.waiter(), event.why());
        }

        @Override
        public void cancelWaiter(PoolEvent.CancelWaiter event) {
            admission.leave(event.waiter(), event.cause(), now);
        }

        @Override
        public void fromWorker(PoolEvent.WorkerSpoke event) {
            event.message().deliverTo(messages);
        }

        @Override
        public void slotExited(PoolEvent.SlotExited event) {
            keeper.exited(event, now);
        }

        @Override
        public void warmUp(PoolEvent.WarmUp event) {
            if (pool.closed) {
                return;
            }
            pool.warmWorkers = Math.max(0, Math.min(event.workers(), pool.limits.slots()));
        }

        @Override
        public void memorySample(PoolEvent.MemorySample event) {
            pool.slots.budget(event.budgetBytes());
        }

        @Override
        public void replaceModel(PoolEvent.ReplaceModel event) {
            if (pool.closed) {
                return;
            }
            pool.target(event.model(), event.fingerprint(), now);
            pool.retained.clear();
            pool.slots.forgetMeasured();
            for (Slot slot : pool.slots.all()) {
                slot.debt.forgive();
                keeper.drain(slot, Slot.Retirement.REPLACEMENT, now);
            }
            for (Operation waiting : pool.operations.queue().all()) {
                pool.rekey(waiting, now);
            }
        }

        @Override
        public void restartSlot(PoolEvent.RestartSlot event) {
            if (pool.closed || event.slot() < 0 || event.slot() >= pool.limits.slots()) {
                return;
            }
            Slot slot = pool.slots.all().get(event.slot());
            slot.debt.forgive();
            slot.restart = true;
            keeper.drain(slot, Slot.Retirement.OPERATOR, now);
        }

        @Override
        public void shutdown(PoolEvent.Shutdown event) {
            if (pool.ended) {
                scheduler.reportEnd();
                return;
            }
            if (pool.closed) {
                return;
            }
            pool.closed = true;
            pool.warmWorkers = 0;
            pool.retained.clear();
            pool.operations.settleEverybody(Outcomes.shuttingDown());
            for (Operation waiting : pool.operations.queue().all()) {
                pool.operations.transition(waiting, OperationState.FAILED, now, "shutdown");
            }
            for (Slot slot : pool.slots.all()) {
                slot.restart = false;
                keeper.drain(slot, Slot.Retirement.SHUTDOWN, now);
            }
        }

        @Override
        public void timerFired(PoolEvent.TimerFired event) {
            TimerKey key = event.key();
            if (!pool.outbox.fired(key)) {
                return;
            }
            countExpiry(key.kind());
            switch (key.kind()) {
                case WAITER_DEADLINE -> admission.leave(key.subject(), CancelCause.DEADLINE, now);
                case RETENTION, COOL_DOWN -> LOG.trace("{} is over", key);
                case INITIALISATION -> keeper.initialisationExpired(slot(key), now, "initialisation watchdog", true);
                case DISPATCH -> flow.dispatchExpired(slot(key), now, "dispatch watchdog");
                case EXECUTION -> flow.executionExpired(slot(key), now);
                case TERMINATION_GRACE -> flow.terminationUnanswered(slot(key), now);
                case ABANDONMENT -> flow.abandonmentUnanswered(slot(key));
                case EXIT_GRACE -> keeper.exitUnconfirmed(slot(key), now);
                case DRAIN -> keeper.drainBoundOver(slot(key), now);
            }
        }
    }

    private void countExpiry(TimerKey.Kind kind) {
        switch (kind) {
            case INITIALISATION -> pool.counters.count(Counters.Name.EXPIRED_INITIALISATIONS);
            case DISPATCH -> pool.counters.count(Counters.Name.EXPIRED_DISPATCHES);
            case EXECUTION -> pool.counters.count(Counters.Name.EXPIRED_EXECUTIONS);
            case TERMINATION_GRACE, ABANDONMENT -> pool.counters.count(Counters.Name.UNANSWERED_TERMINATIONS);
            case EXIT_GRACE -> pool.counters.count(Counters.Name.UNCONFIRMED_EXITS);
            case WAITER_DEADLINE, DRAIN, COOL_DOWN, RETENTION -> LOG.trace("{} is no watchdog", kind);
        }
    }

    /** What each message of a worker means. */
    private final class Messages implements FromWorker.Handler {
        @Override
        public void ready(FromWorker.Ready message) {
            keeper.ready(message, now);
        }

        @Override
        public void startFailed(FromWorker.StartFailed message) {
            keeper.startFailed(message, now);
        }

        @Override
        public void grew(FromWorker.Grew message) {
            keeper.grew(message);
        }

        @Override
        public void started(FromWorker.Started message) {
            replies.started(message, now);
        }

        @Override
        public void completed(FromWorker.Completed message) {
            replies.completed(message, now);
        }

        @Override
        public void failed(FromWorker.Failed message) {
            replies.failed(message, now);
        }

        @Override
        public void cancelled(FromWorker.Cancelled message) {
            replies.cancelled(message, now);
        }

        @Override
        public void terminated(FromWorker.Terminated message) {
            replies.terminated(message, now);
        }

        @Override
        public void stopped(FromWorker.Stopped message) {
            Slot slot = pool.slots.find(message.slot(), message.generation());
            if (slot != null) {
                slot.dropped(message.drops(), pool.counters);
            }
            if (slot == null || slot.state.isServing()) {
                pool.counters.dropped(Counters.Dropped.STOPPED);
            }
        }
    }
}
