package io.recallgate.bench.pool;

import io.recallgate.embedding.model.ResidentMemory;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryMXBean;
import java.util.concurrent.TimeUnit;

/**
 * Resident memory of this process by whose it is, in MiB. The heap must be touched in full from the start, as the launcher
 * sees to, or its growth would be taken for somebody else's.
 *
 * @param nativeMib neither heap nor the JVM's own: sessions, buffers, threads
 * @param jvmMib classes and compiled code
 * @param heapUsedMib objects that live, after a collection
 */
record ProcessMemory(double nativeMib, double jvmMib, double heapUsedMib) {

    private static final double MIB = 1 << 20;
    /** The launcher's flags have the JVM give freed native memory back every so often. */
    private static final long TRIM_MILLIS = 5_500;

    /** Collects, waits until freed memory was given back, and looks. */
    static ProcessMemory settled() throws InterruptedException {
        System.gc();
        TimeUnit.MILLISECONDS.sleep(TRIM_MILLIS);
        return now();
    }

    /** @throws IllegalStateException where the system does not tell resident memory */
    static ProcessMemory now() {
        MemoryMXBean memory = ManagementFactory.getMemoryMXBean();
        long resident = ResidentMemory.processBytes();
        if (resident == 0) {
            throw new IllegalStateException("resident memory is told on Linux only: leave out 'memory'");
        }
        long jvm = memory.getNonHeapMemoryUsage().getCommitted();
        long heap = memory.getHeapMemoryUsage().getCommitted();
        return new ProcessMemory(
                (resident - heap - jvm) / MIB,
                jvm / MIB,
                memory.getHeapMemoryUsage().getUsed() / MIB);
    }
}
