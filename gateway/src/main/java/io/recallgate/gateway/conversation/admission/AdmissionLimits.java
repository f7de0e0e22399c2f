package io.recallgate.gateway.conversation.admission;

/**
 * How many turns.
 *
 * @param active at once, in all
 * @param activePerOwner at once, of one owner
 * @param activePerSession at once, of one session of an owner's project; turns without a session are not counted
 * @param waiting that wait for their place, in all
 * @param waitingPerOwner that wait, of one owner
 * @param waitingPerSession that wait, of one session
 * @param waitMillis the longest wait
 */
public record AdmissionLimits(
        int active,
        int activePerOwner,
        int activePerSession,
        int waiting,
        int waitingPerOwner,
        int waitingPerSession,
        long waitMillis) {

    /** Checks what would never let anybody in. */
    public AdmissionLimits {
        if (active < 1 || activePerOwner < 1 || activePerSession < 1) {
            throw new IllegalArgumentException("at least one turn must be able to run");
        }
        if (waiting < 0 || waitingPerOwner < 0 || waitingPerSession < 0 || waitMillis < 0) {
            throw new IllegalArgumentException("what may wait is not negative");
        }
    }
}
