package io.recallgate.recall.jobs;

import java.util.random.RandomGenerator;

/** Capped exponential waits with jitter, so that what failed together does not come back together. */
final class Backoff {

    private Backoff() {}

    /**
     * The wait before the next try.
     *
     * @param failures so far, at least 1
     * @param baseMillis wait after the first
     * @param maxMillis the cap
     * @param random takes off up to half
     * @return between half of and the whole of min(base · 2^(failures−1), max)
     */
    static long millis(int failures, long baseMillis, long maxMillis, RandomGenerator random) {
        int doublings = Math.min(40, Math.max(0, failures - 1));
        long full = baseMillis > maxMillis >> doublings ? maxMillis : baseMillis << doublings;
        return full - (long) (random.nextDouble() * (full / 2.0));
    }
}
