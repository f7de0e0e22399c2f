package io.recallgate.gateway.probe;

import io.recallgate.gateway.probe.ProbeView.Settled;
import org.jspecify.annotations.Nullable;

/**
 * What whoever ran a probe by hand gets: a result, or a refusal.
 *
 * @param result of an attempt that was on its way when it was asked for, or began then; null for a refusal
 * @param demanded the generation that was asked for
 * @param joined whether the attempt was on its way already
 * @param refusal null for a result
 */
record Delivery(
        @Nullable Settled result,
        long demanded,
        boolean joined,
        @Nullable Refusal refusal) {

    static Delivery of(Settled result, long demanded, boolean joined) {
        return new Delivery(result, demanded, joined, null);
    }

    static Delivery refused(Refusal why) {
        return new Delivery(null, 0, false, why);
    }

    /** Why nothing is run. */
    enum Refusal {
        /** There is no schedule: the gateway is starting or stopping. */
        NOT_RUNNING,
        /** Too many wait for the same attempt. */
        TOO_MANY_WAITING,
        /** An attempt may take longer than its caller would wait. */
        WAIT_TOO_SHORT,
        /** A stop ended the attempt. */
        ENDED
    }
}
