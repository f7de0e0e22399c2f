package io.recallgate.gateway.http.pipeline;

/** What one exchange holds of a quota. Thread-safe: a worker may add to it while the exchange ends. */
final class Charge {

    private final Quota quota;
    private final long bound;
    private long held;
    private boolean closed;

    /** @param bound of the quota, all holders together */
    Charge(Quota quota, long bound) {
        this.quota = quota;
        this.bound = bound;
    }

    /** Takes {@code bytes} more if the quota has them and the exchange is not over. */
    synchronized boolean take(long bytes) {
        if (closed || !quota.take(bytes, bound)) {
            return false;
        }
        held += bytes;
        return true;
    }

    /** Gives back a part. */
    synchronized void giveBack(long bytes) {
        if (!closed) {
            held -= bytes;
            quota.giveBack(bytes);
        }
    }

    synchronized boolean isClosed() {
        return closed;
    }

    /** The exchange is over: everything goes back, and nothing is taken any more. */
    synchronized void close() {
        if (!closed) {
            closed = true;
            quota.giveBack(held);
        }
    }
}
