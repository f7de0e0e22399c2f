package io.recallgate.gateway.conversation.evidence;

import io.recallgate.gateway.conversation.turn.Phase;
import io.recallgate.gateway.conversation.turn.PhaseRun;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * A phase that took longer than it may. Only phases in which this process works are looked at: a turn waits for its place as
 * long as the queue's own bound says, and for its provider as long as the upstream policy says, and a picture of this process
 * would show neither's cause.
 *
 * @param requestId of the turn, as its log lines have it
 * @param phase the one that took longest of those that share the bound
 * @param tookMillis of that phase alone
 * @param boundMillis that was passed, by the phase or by the phases that share it
 * @param phases what all phases took until then, as {@code server-timing} has it
 */
public record Overrun(String requestId, Phase phase, long tookMillis, long boundMillis, String phases) {

    /**
     * A commit is a transaction of some milliseconds. After so many something is stuck, long before its own bound gives the
     * place of the turn back.
     */
    static final long COMMIT_MILLIS = 5_000;

    /**
     * Looks for one among the phases that have ended. The preparation shares one budget; reading the body comes before it, and
     * is measured by the same, since a client waits for both.
     *
     * @param budgetMillis of the preparation
     */
    public static Optional<Overrun> of(PhaseRun run, long budgetMillis, String requestId) {
        long budgetNanos = TimeUnit.MILLISECONDS.toNanos(budgetMillis);
        if (run.nanos(Phase.COMMIT) >= TimeUnit.MILLISECONDS.toNanos(COMMIT_MILLIS)) {
            return Optional.of(at(run, Phase.COMMIT, COMMIT_MILLIS, requestId));
        }
        if (run.preparationNanos() >= budgetNanos) {
            return Optional.of(at(run, longest(run), budgetMillis, requestId));
        }
        return run.nanos(Phase.DECODE) >= budgetNanos
                ? Optional.of(at(run, Phase.DECODE, budgetMillis, requestId))
                : Optional.empty();
    }

    private static Overrun at(PhaseRun run, Phase phase, long boundMillis, String requestId) {
        return new Overrun(
                requestId, phase, TimeUnit.NANOSECONDS.toMillis(run.nanos(phase)), boundMillis, run.serverTiming());
    }

    private static Phase longest(PhaseRun run) {
        return Arrays.stream(Phase.values())
                .filter(Phase::isPreparation)
                .max(Comparator.comparingLong(run::nanos))
                .orElseThrow();
    }
}
