package io.recallgate.embedding;

import com.sun.management.OperatingSystemMXBean;
import io.recallgate.embedding.model.ResidentMemory;
import java.lang.management.ManagementFactory;

/**
 * How much memory embedding workers may hold together: the limit, less what the heap may take, less what else there is.
 * The heap counts with its maximum, since it may grow there at any time.
 *
 * <p>What else there is cannot be known beforehand. A measured constant is its floor, so that a gate which is asked
 * before anything has happened is not generous, and does not swing with every collection. Where the process turns out
 * to hold more than that beside its heap and its workers, the sample counts instead: buffers, a leak, and what workers
 * hold beyond their estimates. The sample takes the heap as resident as far as it is committed, so it errs on the small
 * side, and the floor stands in for the difference.
 *
 * @param limit of the container or the machine
 * @param heapBytes the most the Java heap may take
 * @param otherBytes what the process was seen to hold beside its heap and its workers, zero if that is not known
 */
record MemoryBudget(MemoryLimit limit, long heapBytes, long otherBytes) {

    /**
     * The process without heap and workers: 154 MiB after 800 memories and 1,500 lexical recalls, resident memory less
     * a heap that was touched beforehand. Flags of {@code conf/jvm.options}, {@code -Xms512m -XX:+AlwaysPreTouch}, and
     * no embedding provider; {@code VmRSS} of {@code /proc/self/status} less {@code jvm_memory_committed_bytes} of the
     * heap. Threads of workers, tokenisers and native libraries come with the first worker: 40 MiB that its load showed
     * beyond those of later ones.
     */
    static final long PROCESS_BYTES = (154L + 40) << 20;

    /**
     * An embedded PostgreSQL beside it: 37 MiB after the same work, as the sum of {@code Pss} in {@code smaps_rollup} of
     * all its processes, and its shared buffers of 64 MB, of which only those that were used are in that sum. With a
     * database elsewhere this is kept free for nothing.
     */
    static final long DATABASE_BYTES = (37L + 64) << 20;

    /**
     * Reads what there is now. Reads small files, so it is for worker threads.
     *
     * @param chargedBytes what workers are charged with, which the process holds beside the rest
     */
    static MemoryBudget read(long chargedBytes) {
        OperatingSystemMXBean system = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
        long heapCommitted =
                ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getCommitted();
        return new MemoryBudget(
                MemoryLimit.read(system.getTotalMemorySize()),
                Runtime.getRuntime().maxMemory(),
                Math.max(0, ResidentMemory.processBytes() - heapCommitted - chargedBytes));
    }

    /** What is left for workers, at least zero. */
    long workerBytes() {
        return Math.max(0, limit.bytes() - heapBytes - Math.max(PROCESS_BYTES, otherBytes) - DATABASE_BYTES);
    }

    /** How many workers of this size fit, one at least: without any there would be no point in starting. */
    int workers(long bytesEach, int cores) {
        return (int) Math.max(1, Math.min(cores, workerBytes() / bytesEach));
    }
}
