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

    /** Every worker serves another model than before. */
    record ModelReplaced(String model) implements PoolNotice {}
}
