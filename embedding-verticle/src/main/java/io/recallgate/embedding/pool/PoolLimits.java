package io.recallgate.embedding.pool;

import java.time.Duration;
import java.util.List;

/**
 * All bounds of the pool.
 *
 * @param slots workers at most, at least 1
 * @param expectedWorkerBytes what a worker is charged with until it has measured itself
 * @param queue bounds of admission
 * @param slice bounds of one assignment to a worker
 * @param watchdogs spans after which something is given up
 * @param retry retry debt of failed starts
 * @param retention what is kept of work that nobody waits for
 */
public record PoolLimits(
        int slots,
        long expectedWorkerBytes,
        Queue queue,
        Slice slice,
        Watchdogs watchdogs,
        Retry retry,
        Retention retention) {

    /**
     * Measured for e5-small by the benchmark {@code ModelMemory}: an idle session holds 60 to 68 MiB, and up to 60 MiB
     * more during its largest run of one row.
     */
    private static final long EXPECTED_WORKER_BYTES = 128L << 20;

    /** Checks that there is a slot. */
    public PoolLimits {
        if (slots < 1) {
            throw new IllegalArgumentException("slots must be at least 1: " + slots);
        }
    }

    /** The documented defaults, for this many slots. */
    public static PoolLimits defaults(int slots) {
        return new PoolLimits(
                slots,
                EXPECTED_WORKER_BYTES,
                new Queue(256, 8L << 20, 240, 7L << 20, 64, 8),
                new Slice(8, 4_096, 256),
                new Watchdogs(
                        Duration.ofMinutes(10),
                        Duration.ofSeconds(10),
                        Duration.ofMinutes(5),
                        Duration.ofSeconds(1),
                        Duration.ofSeconds(1),
                        Duration.ofSeconds(10)),
                new Retry(List.of(Duration.ofSeconds(2), Duration.ofSeconds(8)), Duration.ofMinutes(15)),
                new Retention(8, Duration.ofMinutes(5), 64, Duration.ofHours(24)));
    }

    /**
     * Bounds of admission. What is not admitted is refused as overloaded; queries may use all, documents the smaller
     * share.
     *
     * @param operations live operations in all
     * @param bytes charged bytes of live operations in all
     * @param documentOperations live document operations, so that queries have room of their own
     * @param documentBytes charged bytes of those
     * @param waitersPerOperation callers of one piece of work
     * @param queriesPerDocument query slices after which one document slice goes first
     */
    public record Queue(
            int operations,
            long bytes,
            int documentOperations,
            long documentBytes,
            int waitersPerOperation,
            int queriesPerDocument) {}

    /**
     * Bounds of one slice.
     *
     * @param rows at most
     * @param paddedTokens rows times longest row, by worst-case estimate, at most; also a worker's first token cap
     * @param floorTokens what a worker's token cap never shrinks below
     */
    public record Slice(int rows, int paddedTokens, int floorTokens) {}

    /**
     * Spans, each armed once.
     *
     * @param initialisation from the start of a worker to its {@code Ready}
     * @param dispatch from sending a slice to its {@code Started}
     * @param execution from {@code Started} to the end of the slice
     * @param terminationGrace from a forced native termination to its acknowledgement
     * @param exitGrace from retiring a worker to its confirmed exit
     * @param drain how long running work may go on when its worker is to be replaced or shut down
     */
    public record Watchdogs(
            Duration initialisation,
            Duration dispatch,
            Duration execution,
            Duration terminationGrace,
            Duration exitGrace,
            Duration drain) {}

    /**
     * Retry debt of a slot.
     *
     * @param waits after the first, second, ... failed start in a row; after one more the debt is exhausted
     * @param selfHealing wait between single tries once it is
     */
    public record Retry(List<Duration> waits, Duration selfHealing) {
        /** Copies the waits. */
        public Retry {
            waits = List.copyOf(waits);
        }
    }

    /**
     * What is kept of work that nobody waits for.
     *
     * @param results finished or half finished work kept for a retry
     * @param resultAge how long it is kept
     * @param quarantined keys of expired work that are remembered
     * @param quarantineAge how long an expiry is remembered after its thread returned
     */
    public record Retention(int results, Duration resultAge, int quarantined, Duration quarantineAge) {}
}
