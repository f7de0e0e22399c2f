package io.recallgate.gateway.probe;

import io.recallgate.gateway.probe.ProbeView.Settled;

/** What a gate wants done. */
sealed interface ProbeEffect {

    /**
     * An attempt is to begin, now.
     *
     * @param flight its number
     * @param budgetNanos when it is to be given up
     */
    record Launch(long flight, long budgetNanos) implements ProbeEffect {}

    /** Somebody's answer. */
    record Deliver(long waiter, Delivery delivery) implements ProbeEffect {}

    /** A probe's result differs in kind from the one before, or is its first. */
    record Changed(Settled result, int failures) implements ProbeEffect {}

    /** A warning holds that did not before. It changes nothing about health. */
    record Warn(ProbeWarning warning) implements ProbeEffect {}
}
