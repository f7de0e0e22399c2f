package io.recallgate.embedding.pool;

/**
 * What a slot owes after failed starts: longer and longer waits, then single tries far apart. Each slot has its own, so
 * a sibling's success forgives nothing.
 */
final class RetryDebt {

    private final PoolLimits.Retry limits;
    private int failures;
    private boolean terminal;
    private long until;
    private long lastFailedGeneration;

    RetryDebt(PoolLimits.Retry limits) {
        this.limits = limits;
    }

    /** A start failed, or its worker ended unasked. */
    void failed(long generation, long now) {
        failures++;
        lastFailedGeneration = generation;
        until = now + (isExhausted() ? limits.selfHealing() : limits.waits().get(failures - 1)).toNanos();
    }

    /** Trying again cannot help: only the slow self-healing tries remain. */
    void failedForGood(long generation, long now) {
        failures++;
        terminal = true;
        lastFailedGeneration = generation;
        until = now + limits.selfHealing().toNanos();
    }

    /** A start succeeded; one of an older generation than the last failure proves nothing. */
    void succeeded(long generation) {
        if (generation > lastFailedGeneration) {
            forgive();
        }
    }

    void forgive() {
        failures = 0;
        terminal = false;
    }

    boolean isBlocked(long now) {
        return failures > 0 && until - now > 0;
    }

    boolean isExhausted() {
        return terminal || failures > limits.waits().size();
    }

    boolean isTerminal() {
        return terminal;
    }

    int failures() {
        return failures;
    }

    /** When the next start is allowed; meaningful while there is debt. */
    long until() {
        return until;
    }

    long remainingNanos(long now) {
        return isBlocked(now) ? until - now : 0;
    }
}
