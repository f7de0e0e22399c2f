package io.recallgate.embedding.pool;

/** Something an operator may want to see live. */
public sealed interface PoolNotice {

    /** A slot moved. */
    record SlotMoved(int slot, long generation, SlotState from, SlotState to, String reason) implements PoolNotice {}

    /**
     * Work outlived its watchdog and is quarantined.
     *
     * @param operation its number
     * @param ended whether this was the second time, so that it is not run again
     */
    record WorkQuarantined(int slot, long generation, long operation, boolean ended) implements PoolNotice {}

    /**
     * A worker was asked to end its run natively.
     *
     * @param why what for
     */
    record RunTerminated(int slot, long generation, Why why) implements PoolNotice {
        /** What a run is ended for. */
        public enum Why {
            /** Nobody waits for it, and other work waits. */
            ABANDONED,
            /** Its watchdog. */
            EXPIRED,
            /** Its worker is to go, or the worker took up what had been taken from it. */
            DRAINED
        }
    }

    /**
     * A run found no memory.
     *
     * @param tokenCap padded tokens of one native run at most, from now on
     */
    record OutOfMemory(int slot, long generation, int tokenCap) implements PoolNotice {}

    /**
     * A start failed, or a worker ended unasked.
     *
     * @param failures in a row
     * @param retryNanos until the slot may start again
     * @param exhausted whether only single tries far apart remain
     */
    record DebtGrew(int slot, long generation, int failures, long retryNanos, boolean exhausted)
            implements PoolNotice {}

    /**
     * The first worker of another model serves, and nothing more is answered by the one before.
     *
     * @param from what was to serve before, as it was configured
     * @param to what serves now
     */
    record ModelReplaced(String from, String to) implements PoolNotice {}
}
