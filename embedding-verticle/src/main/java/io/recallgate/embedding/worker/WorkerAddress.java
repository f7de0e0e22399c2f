package io.recallgate.embedding.worker;

/**
 * Names of one worker of one pool. Slot and generation are in every one: on a shared address every second message went
 * to the old worker, and a shared thread pool waits behind the old thread.
 *
 * @param pool names the pool within its Vert.x instance
 * @param slot from zero
 * @param generation of the slot
 */
public record WorkerAddress(String pool, int slot, long generation) {

    /** Where the worker itself reads. */
    public String work() {
        return "recallgate.internal." + pool + ".worker." + slot + "." + generation;
    }

    /** Where its control reads. */
    public String control() {
        return work() + ".control";
    }

    /**
     * Where the pool reads, on the worker's own thread, what that said of slices that have ended. It is free then, so
     * nobody has to be woken up for it.
     */
    public String ends() {
        return work() + ".ends";
    }

    /** Name of its one-thread pool. */
    public String threads() {
        return "recallgate-embedding-" + pool + "-" + slot + "-" + generation;
    }

    /** Where the pool reads what workers say. */
    public static String dispatcher(String pool) {
        return "recallgate.internal." + pool + ".dispatcher";
    }
}
