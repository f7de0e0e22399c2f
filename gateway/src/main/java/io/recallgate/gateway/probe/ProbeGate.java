package io.recallgate.gateway.probe;

import io.recallgate.gateway.probe.Delivery.Refusal;
import io.recallgate.gateway.probe.ProbeView.Charged;
import io.recallgate.gateway.probe.ProbeView.Due;
import io.recallgate.gateway.probe.ProbeView.Flight;
import io.recallgate.gateway.probe.ProbeView.Generation;
import io.recallgate.gateway.probe.ProbeView.Settled;
import io.recallgate.gateway.probe.ProbeView.StopReason;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Decides when a probe's attempts begin, and who gets their results. One attempt at a time, whatever it is about; after
 * each, idleness that follows from its cost; after a failure, a back-off beside that. Results of both kinds are kept. A
 * change of the model makes earlier results worthless, but not what they cost: the floor holds across it, and across a
 * stop.
 *
 * <p>A plain state machine: told what happens, one thing at a time, with the instant and the options that hold then;
 * answers what to do.
 */
final class ProbeGate {

    /** Those who run a probe by hand are few; more than this is a loop gone wild. */
    static final int MAX_WAITERS = 64;

    /** How often it wants to be woken at least: a changed setting or model is noticed within it. */
    static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final String name;
    private final long firstNanos;
    private ProbeOptions options = ProbeOptions.DEFAULTS;
    private GateState state = GateState.STOPPED;
    private long sinceNanos;
    private long epoch;
    private long generations;
    private long flights;
    private @Nullable Generation generation;
    private @Nullable Flight flight;
    private @Nullable Settled result;
    private @Nullable Charged charged;
    private @Nullable StopReason stopReason;
    private int failures;
    private final Cadence cadence = new Cadence();
    private final Tally tally = new Tally();
    private final Map<Long, Waiter> waiters = new LinkedHashMap<>();
    private Set<ProbeWarning> warnings = EnumSet.noneOf(ProbeWarning.class);
    private List<ProbeEffect> effects = new ArrayList<>();

    /** Somebody who ran it by hand, and how long for; joined if an attempt was on its way. */
    private record Waiter(long demanded, long untilNanos, boolean joined) {}

    /**
     * One that waits for {@link ProbeEvent.Start}.
     *
     * @param name in exceptions
     * @param firstNanos from the first start to the first attempt
     */
    ProbeGate(String name, long firstNanos) {
        this.name = name;
        this.firstNanos = firstNanos;
    }

    /**
     * Something happened.
     *
     * @param now on a monotonic clock, in nanoseconds
     * @param with the options that hold now
     * @return what to do, in order
     */
    List<ProbeEffect> on(ProbeEvent event, long now, ProbeOptions with) {
        options = with;
        effects = new ArrayList<>();
        if (event instanceof ProbeEvent.Start start) {
            start(start.key(), now);
        } else if (event instanceof ProbeEvent.Stop) {
            stop();
        } else if (event instanceof ProbeEvent.Tick tick) {
            tick(tick, now);
        } else if (event instanceof ProbeEvent.RunNow run) {
            runNow(run, now);
        } else if (event instanceof ProbeEvent.Leave leave) {
            waiters.remove(leave.waiter());
        } else {
            settled((ProbeEvent.Settled) event, now);
        }
        warn();
        return effects;
    }

    private void start(ProbeKey key, long now) {
        if (state.isScheduled()) {
            return;
        }
        epoch++;
        sinceNanos = now;
        if (flight == null) {
            to(stopReason == null ? GateState.WAITING : GateState.GAVE_UP);
        } else {
            // What a schedule of before has begun is joined, not doubled.
            to(isWanted(flight) ? GateState.FLYING : GateState.SUPERSEDED);
        }
        boolean renewed = renew(key, now);
        if (renewed || result == null) {
            cadence.beginAt(now + firstNanos);
        }
    }

    private void stop() {
        if (!state.isScheduled()) {
            return;
        }
        epoch++;
        to(flight == null ? GateState.STOPPED : GateState.LEFT);
        deliverAll(Delivery.refused(Refusal.ENDED));
    }

    private void tick(ProbeEvent.Tick tick, long now) {
        if (tick.epoch() != epoch || !state.isScheduled()) {
            tally.fenced();
            return;
        }
        renew(tick.key(), now);
        if (!options.isEnabled()) {
            return;
        }
        long ticks = cadence.take(now, options.cadenceNanos());
        Due due = due();
        if (due != null && now - due.atNanos() >= 0) {
            // One of them is this attempt; the others were slept through.
            tally.skipped(SkipCause.LATE, ticks - 1);
            launch(now);
        } else {
            tally.skipped(skipCause(due), ticks);
        }
    }

    private SkipCause skipCause(@Nullable Due due) {
        if (due == null) {
            return state == GateState.GAVE_UP ? SkipCause.GAVE_UP : SkipCause.FLIGHT;
        }
        return due.cause() == Due.Cause.BACKOFF ? SkipCause.BACKOFF : SkipCause.PACING;
    }

    private void runNow(ProbeEvent.RunNow run, long now) {
        Refusal refusal = refusal(run, now);
        if (refusal != null) {
            deliver(run.waiter(), Delivery.refused(refusal));
            return;
        }
        boolean joins = state == GateState.FLYING;
        waiters.put(
                run.waiter(), new Waiter(Objects.requireNonNull(generation).id(), later(now, run.waitNanos()), joins));
        if (flight == null) {
            if (state == GateState.GAVE_UP) {
                resume();
            }
            launch(now);
        }
    }

    private @Nullable Refusal refusal(ProbeEvent.RunNow run, long now) {
        if (!state.isScheduled()) {
            return Refusal.NOT_RUNNING;
        }
        renew(run.key(), now);
        if (waiters.size() >= MAX_WAITERS) {
            return Refusal.TOO_MANY_WAITING;
        }
        // Whoever joins begins nothing; but nothing is begun that its caller would leave behind unfinished.
        return state != GateState.FLYING && run.waitNanos() < options.budgetNanos() ? Refusal.WAIT_TOO_SHORT : null;
    }

    private void launch(long now) {
        to(GateState.FLYING);
        Long idle = charged == null ? null : Long.valueOf(now - charged.settledNanos());
        Flight begun = new Flight(++flights, Objects.requireNonNull(generation).id(), now, options.budgetNanos(), idle);
        flight = begun;
        cadence.beganAt(now);
        effects.add(new ProbeEffect.Launch(begun.id(), begun.budgetNanos()));
    }

    private void settled(ProbeEvent.Settled event, long now) {
        Flight ended = flight;
        if (ended == null || ended.id() != event.flight()) {
            tally.dropped();
            return;
        }
        flight = null;
        ProbeOutcome outcome = event.outcome();
        long cost = ProbeOptions.chargedNanos(now - ended.startNanos(), outcome.abandoned(), ended.budgetNanos());
        charged = new Charged(ended.startNanos(), now, cost, outcome.abandoned());
        tally.attempt(outcome, cost);
        Settled settled = new Settled(ended, outcome, now, cost);
        boolean wanted = isWanted(ended);
        if (wanted && outcome.verdict() != ProbeOutcome.Verdict.CANCELLED) {
            keep(settled);
        } else {
            tally.dropped();
        }
        if (state == GateState.LEFT) {
            to(GateState.STOPPED);
        } else if (wanted) {
            land(settled);
        } else {
            coalesce(now);
        }
    }

    private void keep(Settled settled) {
        Settled before = result;
        result = settled;
        failures = settled.outcome().isHealthy() ? 0 : failures + 1;
        if (before == null
                || !before.outcome().causeOrNone().equals(settled.outcome().causeOrNone())) {
            effects.add(new ProbeEffect.Changed(settled, failures));
        }
    }

    private void land(Settled settled) {
        if (options.isTooMany(failures)) {
            stopReason = new StopReason(failures, options.maxFailures());
            to(GateState.GAVE_UP);
        } else {
            to(GateState.WAITING);
        }
        if (settled.outcome().verdict() == ProbeOutcome.Verdict.CANCELLED) {
            deliverAll(Delivery.refused(Refusal.ENDED));
            return;
        }
        List.copyOf(waiters.entrySet()).forEach(entry -> {
            Waiter waiter = entry.getValue();
            deliver(entry.getKey(), Delivery.of(settled, waiter.demanded(), waiter.joined()));
        });
    }

    /** Of those who asked for another model meanwhile, whoever can still wait so long gets an attempt of its own, now. */
    private void coalesce(long now) {
        to(GateState.WAITING);
        long id = Objects.requireNonNull(generation).id();
        List.copyOf(waiters.entrySet()).forEach(entry -> {
            Waiter waiter = entry.getValue();
            if (waiter.untilNanos() - now < options.budgetNanos()) {
                deliver(entry.getKey(), Delivery.refused(Refusal.WAIT_TOO_SHORT));
            } else {
                waiters.put(entry.getKey(), new Waiter(id, waiter.untilNanos(), false));
            }
        });
        if (!waiters.isEmpty()) {
            launch(now);
        }
    }

    /** Takes note of what is probed now; another thing has a clean slate, but for what the probe has cost so far. */
    private boolean renew(ProbeKey key, long now) {
        Generation known = generation;
        if (known != null && known.key().agreesWith(key)) {
            generation = new Generation(known.id(), known.key().with(key));
            return false;
        }
        generation = new Generation(++generations, key);
        result = null;
        failures = 0;
        cadence.beginAt(now);
        if (state == GateState.FLYING) {
            to(GateState.SUPERSEDED);
        } else if (state == GateState.GAVE_UP) {
            resume();
        }
        return true;
    }

    private void resume() {
        stopReason = null;
        failures = 0;
        to(GateState.WAITING);
    }

    /** Whether what it is about is still what is probed. */
    private boolean isWanted(Flight which) {
        return generation != null && generation.id() == which.generation();
    }

    /** When the schedule begins the next attempt: at the latest of the cadence, the floor and the back-off. */
    private @Nullable Due due() {
        if (state != GateState.WAITING || !options.isEnabled()) {
            return null;
        }
        Due due = new Due(cadence.dueNanos(options.cadenceNanos()), Due.Cause.CADENCE);
        if (charged != null) {
            long floor = charged.startNanos() + options.periodNanos(charged.nanos());
            due = floor - due.atNanos() > 0 ? new Due(floor, Due.Cause.PACING) : due;
        }
        if (result != null && failures > 0) {
            long again = result.settledNanos() + options.backoffNanos(failures);
            due = again - due.atNanos() > 0 ? new Due(again, Due.Cause.BACKOFF) : due;
        }
        return due;
    }

    /** When it wants to be told that time has passed; empty for never. */
    OptionalLong nextNanos(long now) {
        if (!state.isScheduled()) {
            return OptionalLong.empty();
        }
        long next = now + LOOK_NANOS;
        if (options.isEnabled()) {
            next = earlier(next, cadence.nextNanos(now, options.cadenceNanos()));
            Due due = due();
            next = due == null ? next : earlier(next, due.atNanos());
        }
        return OptionalLong.of(next);
    }

    /** Names the schedule, so that timers of one that has ended are told from its own. */
    long epoch() {
        return epoch;
    }

    ProbeView view() {
        return new ProbeView(
                name,
                options,
                state,
                sinceNanos,
                generation,
                result,
                flight,
                charged,
                due(),
                waiters.size(),
                failures,
                stopReason,
                tally.counts(),
                warnings);
    }

    private void warn() {
        Set<ProbeWarning> holding = ProbeWarning.of(options, charged == null ? null : charged.nanos());
        holding.stream()
                .filter(warning -> !warnings.contains(warning))
                .forEach(warning -> effects.add(new ProbeEffect.Warn(warning)));
        warnings = holding;
    }

    private void deliverAll(Delivery delivery) {
        List.copyOf(waiters.keySet()).forEach(waiter -> deliver(waiter, delivery));
    }

    private void deliver(long waiter, Delivery delivery) {
        waiters.remove(waiter);
        effects.add(new ProbeEffect.Deliver(waiter, delivery));
    }

    /** The one place where the state changes. */
    private void to(GateState next) {
        if (!state.next().contains(next)) {
            throw new IllegalStateException("the gate of " + name + " cannot go from " + state + " to " + next);
        }
        state = next;
    }

    private static long earlier(long one, long other) {
        return one - other < 0 ? one : other;
    }

    /** An instant so far ahead that it would wrap is one that never comes. */
    private static long later(long now, long span) {
        return now + Math.min(span, TimeUnit.DAYS.toNanos(365));
    }
}
