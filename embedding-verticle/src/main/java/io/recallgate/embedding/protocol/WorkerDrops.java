package io.recallgate.embedding.protocol;

/**
 * Messages of the pool that a worker and its control have read and not acted on, by why, since the worker was made. Each
 * number only grows.
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
