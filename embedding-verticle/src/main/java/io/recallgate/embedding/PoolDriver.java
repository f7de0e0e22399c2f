package io.recallgate.embedding;

import io.recallgate.caller.Caller;
import io.recallgate.embedding.api.ModelIdentity;
import io.recallgate.embedding.pool.Dispatcher;
import io.recallgate.embedding.pool.Effect;
import io.recallgate.embedding.pool.PoolEvent;
import io.recallgate.embedding.pool.PoolNotice;
import io.recallgate.embedding.pool.PoolSnapshot;
import io.recallgate.embedding.pool.ShutdownReport;
import io.recallgate.embedding.pool.SlotState;
import io.recallgate.embedding.pool.TimerKey;
import io.recallgate.embedding.protocol.FromWorker;
import io.recallgate.embedding.protocol.StartFailure;
import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import io.recallgate.time.Clock;
import io.recallgate.time.Timers;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Feeds the dispatcher and performs its effects. Confined to {@link Turns}, which {@link #onPool} leads to from any
 * thread: a request is taken on the thread of its caller, and the end of a slice on that of its worker.
 */
final class PoolDriver implements Effect.Performer, WorkerFleet.Listener {

    private static final Logger log = LoggerFactory.getLogger(PoolDriver.class);
    private static final String EVENTS = "recallgate.events";

    private final Vertx vertx;
    private final Context context;
    private final Turns turns;
    private final Time time;
    private final Dispatcher dispatcher;
    private final WorkerFleet fleet;
    private final PoolMetrics metrics;
    private final LargeWork large;
    private final ModelChecks checks;
    private final Waiters waiters = new Waiters();
    private final AtomicLong numbers = new AtomicLong();
    private final Map<TimerKey, Timers.Timer> timers = new HashMap<>();
    private boolean showing;
    private final List<Promise<ShutdownReport>> ending = new ArrayList<>();
    private Promise<ModelIdentity> ready = Promise.promise();
    private volatile PoolSnapshot latest;

    /** Clock and timers, which belong together. */
    record Time(Clock clock, Timers timers) {}

    /**
     * @param context where timers fire, and what nobody waits for is done
     * @param turns of this pool
     */
    PoolDriver(
            Context context, Turns turns, EmbeddingOptions options, WorkerFleet fleet, PoolMetrics metrics, Time time) {
        this.vertx = context.owner();
        this.context = context;
        this.turns = turns;
        this.time = time;
        this.dispatcher =
                new Dispatcher(options.model(), options.limits(), time.clock().nanoTime());
        this.latest = dispatcher.snapshot(time.clock().nanoTime());
        this.large = new LargeWork(context, turns, options.limits().queue().bytes());
        this.checks = new ModelChecks(context, turns, fleet::identify);
        this.fleet = fleet;
        this.metrics = metrics;
    }

    /** Runs {@code action} in a turn of the pool: now, or soon on the thread that has the turn. */
    void onPool(Runnable action) {
        turns.execute(action);
    }

    /** Runs {@code action} in a turn of the pool after this time, unless it is cancelled before. */
    Timers.Timer schedule(long delayNanos, Runnable action) {
        AtomicBoolean taken = new AtomicBoolean();
        Timers.Timer timer = time.timers()
                .schedule(
                        delayNanos,
                        () -> onPool(() -> {
                            if (taken.compareAndSet(false, true)) {
                                action.run();
                            }
                        }));
        return () -> {
            timer.cancel();
            return taken.compareAndSet(false, true);
        };
    }

    /** The calling code, to be answered on its context. */
    Caller caller() {
        return Caller.of(vertx);
    }

    /** Asks something in a turn of the pool and answers on the caller's context. */
    <T> Future<T> ask(Supplier<Future<T>> question) {
        return caller().ask(turns, question);
    }

    /** Gives the dispatcher an event and does what it wants. */
    void deliver(PoolEvent event) {
        turns.require();
        long now = time.clock().nanoTime();
        for (Effect effect : dispatcher.handle(event, now)) {
            try {
                effect.performBy(this);
            } catch (RuntimeException | Error e) {
                // The dispatcher counts all its effects as done: one that fails must not take the answers of others
                // with it.
                Caller.tell(effect.getClass().getSimpleName() + " failed", e);
            }
        }
        showSoon();
    }

    /**
     * The picture of the pool costs more than most events, and nobody who waits for a vector needs it: it is taken on the
     * pool's event loop, one for all the events until then.
     */
    private void showSoon() {
        if (!showing) {
            showing = true;
            try {
                context.runOnContext(ignored -> onPool(this::show));
            } catch (RuntimeException e) {
                log.debug("the pool's event loop is gone", e);
            }
        }
    }

    private void show() {
        showing = false;
        snapshot();
    }

    /** The picture that was taken last: soon after the last event, or for whoever asked since; any thread. */
    PoolSnapshot latest() {
        return latest;
    }

    /** A worker's message, which also tells whether the model can be used at all. */
    void hear(FromWorker message) {
        deliver(new PoolEvent.WorkerSpoke(message));
        if (message instanceof FromWorker.Ready || message instanceof FromWorker.StartFailed) {
            tellReady();
        }
    }

    /** What a worker of a model that was replaced meanwhile has to say about it counts for nothing. */
    private void tellReady() {
        PoolSnapshot pool = snapshot();
        ModelIdentity identity = pool.identity();
        if (identity == null) {
            unusable(pool).ifPresent(ready::tryFail);
        } else if (!ready.tryComplete(identity)) {
            ready = Promise.promise();
            ready.complete(identity);
        }
    }

    /** Why the model that is to serve cannot be loaded, empty if it can, or if trying again may help. */
    static Optional<FailureException> unusable(PoolSnapshot pool) {
        PoolSnapshot.StartTrouble trouble = pool.startTrouble();
        return trouble != null && trouble.failure() == StartFailure.TERMINAL
                ? Optional.of(new FailureException(FailureCode.MODEL_UNUSABLE, trouble.detail()))
                : Optional.empty();
    }

    /** Completes with the first loaded model; fails once loading cannot succeed. */
    Future<ModelIdentity> ready() {
        return ready.future();
    }

    /** A waiter's number, never used before in this pool. Callable on any thread. */
    long nextWaiter() {
        return numbers.incrementAndGet();
    }

    Waiters waiters() {
        return waiters;
    }

    LargeWork large() {
        return large;
    }

    ModelChecks checks() {
        return checks;
    }

    Dispatcher dispatcher() {
        return dispatcher;
    }

    WorkerFleet fleet() {
        return fleet;
    }

    /** Takes the picture of the pool as it is now; metrics and health show nothing older than what anybody was shown. */
    PoolSnapshot snapshot() {
        turns.require();
        PoolSnapshot now = dispatcher.snapshot(time.clock().nanoTime());
        latest = now;
        metrics.show(now);
        return now;
    }

    Time time() {
        return time;
    }

    /** Ends the pool; completes with what could be confirmed. */
    Future<ShutdownReport> shutdown() {
        Promise<ShutdownReport> promise = Promise.promise();
        ending.add(promise);
        deliver(new PoolEvent.Shutdown());
        return promise.future();
    }

    /** Workers that are not known to be gone. */
    ShutdownReport unconfirmed() {
        return new ShutdownReport(snapshot().slots().stream()
                .filter(slot -> slot.state().isCharged())
                .map(slot -> new ShutdownReport.Unconfirmed(slot.slot(), slot.generation()))
                .toList());
    }

    /** Nothing fires any more. */
    void disarm() {
        timers.values().forEach(Timers.Timer::cancel);
        timers.clear();
    }

    @Override
    public void spoke(FromWorker message) {
        hear(message);
    }

    @Override
    public void exited(int slot, long generation) {
        fleet.exited(slot, generation);
        deliver(new PoolEvent.SlotExited(slot, generation));
    }

    @Override
    public void startWorker(Effect.StartWorker effect) {
        fleet.start(effect.slot(), effect.generation(), effect.model(), this);
    }

    @Override
    public void send(Effect.Send effect) {
        fleet.send(effect.message());
    }

    @Override
    public void armTimer(Effect.ArmTimer effect) {
        TimerKey key = effect.key();
        Timers.Timer timer = schedule(effect.atNanos() - time.clock().nanoTime(), () -> {
            timers.remove(key);
            deliver(new PoolEvent.TimerFired(key));
        });
        Timers.Timer before = timers.put(key, timer);
        if (before != null) {
            before.cancel();
        }
    }

    @Override
    public void disarmTimer(Effect.DisarmTimer effect) {
        Timers.Timer timer = timers.remove(effect.key());
        if (timer != null) {
            timer.cancel();
        }
    }

    @Override
    public void settle(Effect.Settle effect) {
        if (waiters.isWaiting(effect.waiter())) {
            // Counted first: whoever has an answer finds it in the metrics. Answered whatever becomes of that.
            try {
                metrics.settled(effect.outcome());
            } finally {
                waiters.settle(effect.waiter(), effect.outcome());
            }
        }
    }

    @Override
    public void retireWorker(Effect.RetireWorker effect) {
        fleet.retire(effect.slot(), effect.generation());
    }

    @Override
    public void publish(Effect.Publish effect) {
        if (effect.notice() instanceof PoolNotice.SlotMoved moved) {
            metrics.moved(moved.to());
            if (moved.to() == SlotState.STUCK) {
                log.warn(
                        "worker {} generation {} does not return: {}",
                        moved.slot(),
                        moved.generation(),
                        fleet.whereabouts(moved.slot(), moved.generation()));
            }
        }
        if (effect.notice() instanceof PoolNotice.RunTerminated run
                && run.why() == PoolNotice.RunTerminated.Why.EXPIRED) {
            log.warn(
                    "a run on worker {} generation {} outlived its watchdog and is ended: {}",
                    run.slot(),
                    run.generation(),
                    fleet.whereabouts(run.slot(), run.generation()));
        }
        if (effect.notice() instanceof PoolNotice.WorkQuarantined work) {
            log.warn(
                    "operation {} outlived its watchdog on worker {} generation {}{}",
                    work.operation(),
                    work.slot(),
                    work.generation(),
                    work.ended() ? " for the last time: the same work is not run again" : "");
        }
        vertx.eventBus().publish(EVENTS, StatusJson.notice(effect.notice()));
    }

    @Override
    public void shutdownDone(Effect.ShutdownDone effect) {
        disarm();
        ending.forEach(promise -> promise.tryComplete(effect.report()));
        ending.clear();
    }
}
