package io.recallgate.gateway.http.transfer;

/**
 * Bounds of imports and exports.
 *
 * @param imports at once; each holds a batch several times over, about 16 MiB at the worst
 * @param exports at once; each holds a part of about 1 MiB
 * @param idleMillis how long a client may let an import, or an export that it does not read, stand still
 * @param storeMillis how long one batch, or one part, may take with all repetitions; the request is paused meanwhile and
 *     would not tell that its client is gone
 * @param flushMillis how long lines of an incomplete batch wait for more
 */
public record TransferOptions(int imports, int exports, long idleMillis, long storeMillis, long flushMillis) {

    /** An idle time as long as that of bodies; a restarted database is back within half a minute. */
    public static final TransferOptions DEFAULTS = new TransferOptions(4, 4, 30_000, 30_000, 500);

    /** Every bound is at least one. */
    public TransferOptions {
        if (imports < 1 || exports < 1 || idleMillis < 1 || storeMillis < 1 || flushMillis < 1) {
            throw new IllegalArgumentException("bounds must be at least 1");
        }
    }
}
