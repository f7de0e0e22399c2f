package io.recallgate.gateway.probe;

import io.recallgate.gateway.probe.ProbeView.Due;
import io.recallgate.gateway.probe.ProbeView.Flight;
import io.recallgate.gateway.probe.ProbeView.Settled;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Says what a gate's last snapshot means at an instant. A pure function: any thread, no work begun, nothing kept. */
public final class HealthProjection {

    /** An attempt that used its whole budget takes a moment to be told. */
    static final long GRACE_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** So many periods old may a result be: one of the two that came since may have been lost. */
    private static final int FRESH_PERIODS = 3;

    /** So many cadences may an attempt be overdue. */
    private static final int OVERDUE_CADENCES = 2;

    private HealthProjection() {}

    /**
     * The health of a probe.
     *
     * @param key what is probed now
     * @param disabled why it has nothing to probe, null if it has
     * @param now on the gate's clock
     */
    public static ProbeHealth of(ProbeView view, ProbeKey key, @Nullable String disabled, long now) {
        if (disabled != null || !view.options().isEnabled()) {
            return new ProbeHealth(HealthState.DISABLED, disabled == null ? "cadence-zero" : disabled, 0);
        }
        if (view.generation() == null) {
            return new ProbeHealth(HealthState.PENDING, "not-started", 0);
        }
        Flight flight = view.flight();
        if (flight != null && isBeyondBudget(flight, now)) {
            return new ProbeHealth(HealthState.STUCK, "budget-exceeded", now - flight.startNanos());
        }
        Settled result = view.generation().key().agreesWith(key) ? view.result() : null;
        if (flight == null && isOverdue(view, now)) {
            long since = result == null ? view.sinceNanos() : result.settledNanos();
            return new ProbeHealth(HealthState.STALE, "schedule-silent", now - since);
        }
        if (result == null) {
            return flight == null
                    ? new ProbeHealth(HealthState.PENDING, "no-result-yet", now - view.sinceNanos())
                    : new ProbeHealth(HealthState.PENDING, "in-flight", now - flight.startNanos());
        }
        long age = now - result.settledNanos();
        if (!result.outcome().isHealthy()) {
            return new ProbeHealth(
                    flight == null ? HealthState.FAILED : HealthState.RECOVERING,
                    result.outcome().causeOrNone(),
                    age);
        }
        return flight != null && age > freshNanos(view)
                ? new ProbeHealth(HealthState.SLOW, "in-flight", now - flight.startNanos())
                : new ProbeHealth(HealthState.HEALTHY, "attempt-succeeded", age);
    }

    /** By the budget it was begun with: a shorter one since does not make it stuck. */
    private static boolean isBeyondBudget(Flight flight, long now) {
        return now - flight.startNanos() > flight.budgetNanos() + GRACE_NANOS;
    }

    /** Waiting for the floor or the back-off is no silence: the instant that is due counts. */
    private static boolean isOverdue(ProbeView view, long now) {
        Due due = view.due();
        return due != null
                && now - due.atNanos()
                        > OVERDUE_CADENCES * Math.max(view.options().cadenceNanos(), ProbeGate.LOOK_NANOS);
    }

    private static long freshNanos(ProbeView view) {
        long period = view.charged() == null
                ? 0
                : view.options().periodNanos(view.charged().nanos());
        return FRESH_PERIODS * Math.max(view.options().cadenceNanos(), period);
    }
}
