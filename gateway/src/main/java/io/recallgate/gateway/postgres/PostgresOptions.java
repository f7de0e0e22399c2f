package io.recallgate.gateway.postgres;

import java.nio.file.Path;

/**
 * How to run the embedded PostgreSQL.
 *
 * @param dataDir the gateway's data directory, held by this process; PostgreSQL gets {@code postgres} in it
 * @param startBoundMillis how long it may take to accept connections; recovery after a crash replays at most 256 MB of
 *     log, which takes seconds
 * @param stopBoundMillis how long an orderly stop may take before it is made to stop
 * @param backoffMillis wait before the first restart after it died; doubles
 * @param maxBackoffMillis the longest such wait
 * @param logBytes when the log is set back, one older one is kept
 */
public record PostgresOptions(
        Path dataDir,
        long startBoundMillis,
        long stopBoundMillis,
        long backoffMillis,
        long maxBackoffMillis,
        long logBytes) {

    /** The usual bounds. */
    public static PostgresOptions of(Path dataDir) {
        return new PostgresOptions(dataDir, 120_000, 3_000, 250, 30_000, 4L << 20);
    }

    /** The wait before restart number {@code restarts}, from 1, in milliseconds. */
    long backoffMillis(int restarts) {
        int doublings = Math.min(20, Math.max(0, restarts - 1));
        return Math.min(maxBackoffMillis, backoffMillis << doublings);
    }
}
