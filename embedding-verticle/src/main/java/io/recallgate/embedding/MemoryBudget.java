package io.recallgate.embedding;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;

/**
 * How much memory embedding workers may hold together.
 *
 * @param limitBytes of the container (control groups, version 1 or 2) or the machine
 * @param heapBytes the most the Java heap may take
 */
record MemoryBudget(long limitBytes, long heapBytes) {

    /**
     * Kept back for all else in the process and beside it: class data and code 150 MB after the demo, thread stacks,
     * direct buffers, and an embedded PostgreSQL's shared buffers.
     */
    static final long RESERVE_BYTES = 320L << 20;

    /** Reads the limits; the virtual machine knows control groups. Reads small files, so it is for worker threads. */
    static MemoryBudget read() {
        OperatingSystemMXBean system = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
        return new MemoryBudget(
                system.getTotalMemorySize(), Runtime.getRuntime().maxMemory());
    }

    /** What is left for workers, at least zero. */
    long workerBytes() {
        return Math.max(0, limitBytes - heapBytes - RESERVE_BYTES);
    }

    /** How many workers of this size fit, one at least: without any there would be no point in starting. */
    int workers(long bytesEach, int cores) {
        return (int) Math.max(1, Math.min(cores, workerBytes() / bytesEach));
    }
}
