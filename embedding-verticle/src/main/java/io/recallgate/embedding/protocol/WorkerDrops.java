package io.recallgate.embedding.protocol;

/**
 * Messages of the pool that a worker and its control have read and not acted on, by why, since the worker was made. Each
 * number only grows.
 *
 * <p>They are told when a slice begins and when the worker stops. A thread that ends without either takes with it what was
 * dropped since its last slice began: the pool sends no second slice before that one has an end, and each order about
 * it once, so that is at most one order to cancel, one to terminate and one to accept no more.
 *
 * @param misdirected meant for another slot or generation
 * @param repeated a slice or an order that had come before
 * @param late an order about a slice that had begun or was over; an ordinary crossing of messages
 * @param cancelled a slice that had been cancelled before it was read
 * @param closed a slice that came after the order to accept no more
 */
public record WorkerDrops(long misdirected, long repeated, long late, long cancelled, long closed) {
    /** Nothing was dropped. */
    public static final WorkerDrops NONE = new WorkerDrops(0, 0, 0, 0, 0);
}
