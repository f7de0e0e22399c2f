package io.recallgate.time;

/**
 * Schedules one-shot timers. A periodic job re-arms itself after each round, so that a slow round never overlaps the
 * next one.
 */
public interface Timers {

    /**
     * Runs {@code task} once, not before {@code delayNanos} have passed.
     *
     * @param delayNanos nanoseconds from now; zero or less means as soon as possible, but never inside this call
     * @param task runs on the context that scheduled it
     * @return the handle that cancels it
     */
    Timer schedule(long delayNanos, Runnable task);

    /** A scheduled task. */
    interface Timer {

        /**
         * Cancels the task. Once this returns true the task never runs, even if its time had come and it was already
         * queued.
         *
         * @return false if the task has run or was cancelled before
         */
        boolean cancel();
    }
}
