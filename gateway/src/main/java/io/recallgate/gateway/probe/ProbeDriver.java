package io.recallgate.gateway.probe;

import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import io.recallgate.gateway.probe.Delivery.Refusal;
import io.recallgate.gateway.probe.ProbeView.Settled;
import io.recallgate.time.Alarm;
import io.recallgate.time.CancelCause;
import io.recallgate.time.CancelSignal;
import io.recallgate.time.Clock;
import io.recallgate.time.Deadline;
import io.recallgate.time.Timers;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Does what a gate wants done: begins attempts, sets the timer, answers those who wait. Everything that changes happens on
 * one context; {@link #report} is read on any thread, and does not need that context to turn.
 */
final class ProbeDriver {

    private static final Logger LOG = LoggerFactory.getLogger(ProbeDriver.class);

    private final Probe probe;
    private final Context context;
    private final Clock clock;
    private final Timers timers;
    private final Source source;
    private final ProbeMetrics metrics;
    private final ProbeGate gate;
    private final Alarm alarm;
    private final Map<Long, Promise<Settled>> waiting = new HashMap<>();
    private long waiters;
    private @Nullable CancelSignal live;
    private @Nullable Promise<Void> ended;
    private volatile ProbeView latest;

    /**
     * Read on each use, on any thread.
     *
     * @param options how probes are paced
     * @param key what there is to probe
     */
    record Source(Supplier<ProbeOptions> options, Supplier<ProbeKey> key) {}

    /**
     * Time as probes see it.
     *
     * @param clock measures
     * @param timers that belong to it
     * @param firstNanos from a start to the first attempt
     */
    record Time(Clock clock, Timers timers, long firstNanos) {}

    ProbeDriver(Probe probe, Context context, Time time, Source source, ProbeMetrics metrics) {
        this.probe = probe;
        this.context = context;
        this.clock = time.clock();
        this.timers = time.timers();
        this.source = source;
        this.metrics = metrics;
        this.gate = new ProbeGate(probe.name().wireName(), time.firstNanos());
        this.alarm = new Alarm(clock, timers);
        this.latest = gate.view();
    }

    /** Begins the schedule, or goes on with it. */
    void start() {
        onContext(() -> tell(new ProbeEvent.Start(source.key().get())));
    }

    /** Ends the schedule, and the attempt on its way; completes when that has settled. */
    Future<Void> stop() {
        Promise<Void> done = Promise.promise();
        onContext(() -> {
            tell(new ProbeEvent.Stop());
            if (live == null) {
                done.complete();
                return;
            }
            if (ended == null) {
                ended = Promise.promise();
            }
            ended.future().onComplete(done);
            live.cancel(CancelCause.SHUTDOWN);
        });
        return done.future();
    }

    /**
     * Runs it now, or joins the attempt on its way.
     *
     * @return fails with {@code not-ready}, {@code shutting-down}, {@code overloaded} or {@code deadline-exceeded}
     */
    Future<Settled> run(Deadline deadline) {
        Promise<Settled> answer = Promise.promise();
        onContext(() -> {
            long waiter = ++waiters;
            Timers.Timer timer = timers.schedule(
                    deadline.remainingNanos(),
                    () -> onContext(() -> {
                        if (waiting.remove(waiter) != null) {
                            tell(new ProbeEvent.Leave(waiter));
                            answer.tryFail(new FailureException(
                                    FailureCode.DEADLINE_EXCEEDED, "the attempt did not end in time; it goes on"));
                        }
                    }));
            waiting.put(waiter, answer);
            answer.future().onComplete(settled -> timer.cancel());
            tell(new ProbeEvent.RunNow(waiter, source.key().get(), deadline.remainingNanos()));
        });
        return answer.future();
    }

    /** As it is now, on any thread. */
    ProbeReport report() {
        ProbeView view = latest;
        ProbeKey key = source.key().get();
        long now = clock.nanoTime();
        return new ProbeReport(probe.name(), view, HealthProjection.of(view, key, probe.disabled(key), now), now);
    }

    private void tell(ProbeEvent event) {
        for (ProbeEffect effect : gate.on(event, clock.nanoTime(), options())) {
            perform(effect);
        }
        latest = gate.view();
        long epoch = gate.epoch();
        alarm.set(
                gate.nextNanos(clock.nanoTime()),
                which -> onContext(() -> {
                    alarm.rang(which);
                    tell(new ProbeEvent.Tick(epoch, source.key().get()));
                }));
    }

    /** What has nothing to try out has no schedule. */
    private ProbeOptions options() {
        ProbeOptions options = source.options().get();
        return probe.disabled(source.key().get()) == null ? options : options.withoutSchedule();
    }

    private void perform(ProbeEffect effect) {
        if (effect instanceof ProbeEffect.Launch launch) {
            launch(launch);
        } else if (effect instanceof ProbeEffect.Deliver deliver) {
            deliver(deliver.waiter(), deliver.delivery());
        } else if (effect instanceof ProbeEffect.Changed changed) {
            changed(changed.result(), changed.failures());
        } else if (effect instanceof ProbeEffect.Warn warn) {
            warn(warn.warning());
        }
    }

    private void launch(ProbeEffect.Launch launch) {
        CancelSignal cancel = new CancelSignal();
        live = cancel;
        long began = clock.nanoTime();
        attempt(Deadline.afterNanos(clock, launch.budgetNanos()), cancel)
                .onComplete(result -> onContext(() -> {
                    live = null;
                    ProbeOutcome outcome = cancel.isCancelled()
                            ? ProbeOutcome.cancelled()
                            : result.succeeded() ? result.result() : outcome(result.cause());
                    metrics.attempted(probe.name(), outcome, clock.nanoTime() - began);
                    tell(new ProbeEvent.Settled(launch.flight(), outcome));
                    Promise<Void> stopping = ended;
                    if (stopping != null) {
                        ended = null;
                        stopping.complete();
                    }
                }));
    }

    private Future<ProbeOutcome> attempt(Deadline deadline, CancelSignal cancel) {
        try {
            return probe.attempt(deadline, cancel);
        } catch (RuntimeException defect) {
            return Future.failedFuture(defect);
        }
    }

    /** What a failure shows, as it is told to people: without addresses and texts. */
    private ProbeOutcome outcome(Throwable error) {
        FailureException failure = FailureException.of(error);
        if (failure.code() == FailureCode.INTERNAL) {
            LOG.error("probe {} broke", probe.name().wireName(), error);
        }
        return ProbeOutcome.failed(failure.code().code(), failure.detail()).abandoned(failure.isAbandoned());
    }

    private void deliver(long waiter, Delivery delivery) {
        Promise<Settled> promise = waiting.remove(waiter);
        if (promise == null) {
            return;
        }
        if (delivery.result() != null) {
            promise.tryComplete(delivery.result());
        } else {
            promise.tryFail(refused(Objects.requireNonNull(delivery.refusal())));
        }
    }

    private FailureException refused(Refusal why) {
        return switch (why) {
            case NOT_RUNNING -> new FailureException(FailureCode.NOT_READY, "probes are not running");
            case ENDED -> new FailureException(FailureCode.SHUTTING_DOWN, "the attempt was ended by a stop");
            case TOO_MANY_WAITING ->
                new FailureException(FailureCode.OVERLOADED, "too many wait for this probe already");
            case WAIT_TOO_SHORT ->
                new FailureException(
                        FailureCode.DEADLINE_EXCEEDED,
                        "an attempt may take " + source.options().get().budgetMillis()
                                + " ms, which is longer than this request waits; nothing was begun");
        };
    }

    private void changed(Settled result, int failures) {
        ProbeOutcome outcome = result.outcome();
        if (outcome.isHealthy()) {
            LOG.info("probe {} succeeds, within {} ms", probe.name().wireName(), millis(result.spanNanos()));
        } else {
            LOG.warn(
                    "probe {} failed after {} ms, {} in a row: {} ({}){}",
                    probe.name().wireName(),
                    millis(result.spanNanos()),
                    failures,
                    outcome.causeOrNone(),
                    outcome.detail(),
                    outcome.abandoned() ? "; the provider works on" : "");
        }
    }

    private void warn(ProbeWarning warning) {
        LOG.warn("probe {}: {}", probe.name().wireName(), ProbeJson.words(warning, gate.view()));
    }

    private void onContext(Runnable action) {
        context.runOnContext(ignored -> action.run());
    }

    private static long millis(long nanos) {
        return TimeUnit.NANOSECONDS.toMillis(nanos);
    }
}
