package io.recallgate.gateway.probe;

import io.recallgate.time.Clock;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Books of its own about a gate, and what must hold of them. It computes floors, waits and states from what it has seen
 * happen, not from what the gate says.
 */
final class GateLedger {

    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    private final Clock clock;
    private final Map<Long, Flight> flights = new HashMap<>();
    /** Who waits, and until when. */
    private final Map<Long, Long> open = new HashMap<>();

    private @Nullable Flight live;
    private @Nullable Flight last;
    private @Nullable Flight result;
    private ProbeKey key = ProbeKey.named("", "");
    private boolean keyed;
    private ProbeOptions options = ProbeOptions.DEFAULTS;
    private ProbeEvent event = new ProbeEvent.Stop();
    private boolean scheduled;
    private long epoch;
    private int failures;
    private boolean gaveUp;
    /** The first instant at which the cadence allows an attempt; it moves with the cadence after an attempt. */
    private long anchor;

    private boolean anchored;

    private static final class Flight {
        private final long id;
        private final ProbeKey about;
        private final long start;
        private final long budget;
        private boolean wanted = true;
        private long settled;
        private long charged;
        private boolean healthy;

        private Flight(long id, ProbeKey about, long start, long budget) {
            this.id = id;
            this.about = about;
            this.start = start;
            this.budget = budget;
        }
    }

    GateLedger(Clock clock) {
        this.clock = clock;
    }

    long attempts() {
        return flights.size();
    }

    /** The attempt on its way, 0 for none. */
    long live() {
        return live == null ? 0 : live.id;
    }

    void before(ProbeEvent told, ProbeKey current, ProbeOptions with) {
        event = told;
        options = with;
        long now = clock.nanoTime();
        if (told instanceof ProbeEvent.Start && !scheduled) {
            scheduled = true;
            epoch++;
            boolean changed = renew(current);
            if (changed || result == null) {
                anchorAt(now + 5 * SECOND);
            }
        } else if (told instanceof ProbeEvent.Stop && scheduled) {
            scheduled = false;
            epoch++;
        } else if (told instanceof ProbeEvent.Tick tick && tick.epoch() == epoch && scheduled) {
            renew(current);
        } else if (told instanceof ProbeEvent.RunNow run && scheduled) {
            renew(current);
            open.put(run.waiter(), now + run.waitNanos());
        } else if (told instanceof ProbeEvent.RunNow run) {
            open.put(run.waiter(), now);
        } else if (told instanceof ProbeEvent.Leave leave) {
            open.remove(leave.waiter());
        } else if (told instanceof ProbeEvent.Settled settled && live != null && live.id == settled.flight()) {
            settle(live, settled.outcome(), now);
        }
    }

    private void anchorAt(long nanos) {
        anchor = nanos;
        anchored = true;
    }

    private boolean renew(ProbeKey current) {
        if (keyed && key.agreesWith(current)) {
            key = key.with(current);
            return false;
        }
        key = current;
        keyed = true;
        result = null;
        failures = 0;
        gaveUp = false;
        if (live != null) {
            live.wanted = false;
        }
        anchorAt(clock.nanoTime());
        return true;
    }

    private void settle(Flight ended, ProbeOutcome outcome, long now) {
        live = null;
        ended.settled = now;
        long span = now - ended.start;
        ended.charged = outcome.abandoned() ? span + ended.budget : span;
        ended.healthy = outcome.isHealthy();
        last = ended;
        if (ended.wanted && outcome.verdict() != ProbeOutcome.Verdict.CANCELLED) {
            result = ended;
            failures = ended.healthy ? 0 : failures + 1;
        }
        if (ended.wanted && scheduled && options.maxFailures() > 0 && failures >= options.maxFailures()) {
            gaveUp = true;
        }
    }

    void saw(ProbeEffect effect) {
        if (effect instanceof ProbeEffect.Launch launch) {
            launched(launch);
        } else if (effect instanceof ProbeEffect.Deliver deliver) {
            delivered(deliver);
        }
    }

    private void launched(ProbeEffect.Launch launch) {
        long now = clock.nanoTime();
        require(live == null, "two attempts at once");
        require(scheduled, "an attempt without a schedule");
        require(launch.budgetNanos() == millis(options.budgetMillis()), "a budget that nobody set");
        if (event instanceof ProbeEvent.Tick tick) {
            require(tick.epoch() == epoch, "a fenced tick begins an attempt");
            require(options.cadenceMillis() > 0, "an attempt although there is to be none");
            require(!gaveUp, "an attempt after it was given up");
            require(now - dueNanos() >= 0, "an attempt " + (dueNanos() - now) / 1_000_000 + " ms before it is due");
        } else if (event instanceof ProbeEvent.RunNow run) {
            require(run.waitNanos() >= launch.budgetNanos(), "a budget beyond its caller's wait");
            if (gaveUp) {
                failures = 0;
                gaveUp = false;
            }
        } else {
            require(event instanceof ProbeEvent.Settled, "an attempt out of nothing");
            require(!open.isEmpty(), "an attempt that nobody asked for");
            open.values().forEach(until -> require(until - now >= launch.budgetNanos(), "a wait that is too short"));
        }
        live = new Flight(launch.flight(), key, now, launch.budgetNanos());
        require(flights.put(live.id, live) == null, "a number that was used before");
        anchored = false;
    }

    private void delivered(ProbeEffect.Deliver deliver) {
        require(open.remove(deliver.waiter()) != null, "an answer for nobody, or the second one");
        Delivery delivery = deliver.delivery();
        if (delivery.result() == null) {
            require(delivery.refusal() != null, "neither a result nor a refusal");
            return;
        }
        Flight served =
                Objects.requireNonNull(flights.get(delivery.result().flight().id()));
        require(served.wanted && served.about.agreesWith(key), "a result about another model");
        require(served.settled == clock.nanoTime(), "a result of before");
    }

    /** What holds once an event is over. */
    void after(ProbeView view) {
        boolean fresh = event instanceof ProbeEvent.Tick tick && tick.epoch() == epoch;
        if (fresh && scheduled && live == null && !gaveUp && options.cadenceMillis() > 0) {
            require(clock.nanoTime() - dueNanos() < 0, "an attempt that is due does not begin");
        }
        require((view.flight() == null) == (live == null), "it does not know what is on its way");
        if (!scheduled) {
            require(open.isEmpty(), "somebody waits although there is no schedule");
        }
    }

    /** At the latest of cadence, floor and back-off. */
    private long dueNanos() {
        long due = anchored ? anchor : Objects.requireNonNull(lastStart()) + millis(options.cadenceMillis());
        if (last != null && options.duty() < 1) {
            due = later(due, last.start + (long) Math.ceil(last.charged / options.duty()));
        }
        if (result != null && failures > 0) {
            double wait = options.backoffMillis() * Math.pow(2, failures - 1);
            due = later(due, result.settled + millis((long) Math.min((double) options.backoffMaxMillis(), wait)));
        }
        return due;
    }

    private @Nullable Long lastStart() {
        return live != null ? Long.valueOf(live.start) : last == null ? null : Long.valueOf(last.start);
    }

    /** What a health read at this instant has to say. */
    void look(ProbeView view, ProbeKey current, ProbeOptions with) {
        if (!scheduled || !keyed || with.cadenceMillis() == 0 || view.options().cadenceMillis() == 0) {
            return;
        }
        long now = clock.nanoTime();
        HealthState state = HealthProjection.of(view, current, null, now).state();
        boolean stuck = live != null && now - live.start > live.budget + SECOND;
        require(
                (state == HealthState.STUCK) == stuck,
                state + " although the attempt is " + (stuck ? "beyond" : "within") + " its budget");
        boolean same = key.agreesWith(current);
        if (state == HealthState.HEALTHY || state == HealthState.SLOW) {
            require(same && result != null && result.healthy, state + " without a healthy result about this model");
        }
        if (state == HealthState.FAILED || state == HealthState.RECOVERING) {
            require(same && result != null && !result.healthy, state + " without a failed result about this model");
        }
        if (state == HealthState.PENDING) {
            require(!same || result == null, "pending although there is a result");
        }
        boolean silent = live == null
                && !gaveUp
                && now - dueNanosBy(view.options())
                        > 2 * Math.max(SECOND, millis(view.options().cadenceMillis()));
        require(
                (state == HealthState.STALE) == (silent && !stuck),
                state + " although the schedule is " + (silent ? "silent" : "alive"));
    }

    private long dueNanosBy(ProbeOptions then) {
        ProbeOptions now = options;
        options = then;
        long due = dueNanos();
        options = now;
        return due;
    }

    void ended() {
        require(open.isEmpty(), "somebody waits for ever");
    }

    private static long later(long one, long other) {
        return one - other > 0 ? one : other;
    }

    private static long millis(long millis) {
        return TimeUnit.MILLISECONDS.toNanos(millis);
    }

    private static void require(boolean holds, String otherwise) {
        if (!holds) {
            throw new AssertionError(otherwise);
        }
    }
}
