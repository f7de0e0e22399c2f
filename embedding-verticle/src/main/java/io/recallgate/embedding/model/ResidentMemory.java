package io.recallgate.embedding.model;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** What a loaded model holds: measured where the system tells, estimated where it does not. */
public final class ResidentMemory {

    /**
     * What runs of the bundled model took at their peak beyond the idle session: one row of 512 tokens 43 to 60 MiB, of
     * which the arena keeps some 30; more rows take 61 MiB beyond that for 2, 123 for 4, 226 for 8, and give it back, as
     * the benchmark {@code ModelMemory} printed for the second and third session of a process. Attention grows with the
     * square of the width.
     */
    private static final long WORKING_BASE_BYTES = 20L << 20;

    private static final long WORKING_ROW_BYTES = 40L << 20;
    private static final int MEASURED_WIDTH = 512;

    /** Of one row of the full width: all that a model whose rows run one by one ever needs. */
    static final long WORKING_BYTES = WORKING_BASE_BYTES + WORKING_ROW_BYTES;

    private static final Path STATM = Path.of("/proc/self/statm");
    private static final long PAGE_BYTES = 4096;

    private ResidentMemory() {}

    /**
     * What a model of this size will hold, before it was ever loaded. The factor is what e5-small (34 MB) showed: 60 to
     * 68 MiB for each idle session, by the same benchmark.
     */
    public static long estimateBytes(long modelBytes) {
        return 2 * modelBytes + WORKING_BYTES;
    }

    /**
     * Working memory of a run, by estimate.
     *
     * @param shape rows, and tokens of the longest
     */
    static long workingBytes(long[] shape) {
        double squares = (double) shape[0] * shape[1] * shape[1] / ((double) MEASURED_WIDTH * MEASURED_WIDTH);
        return WORKING_BASE_BYTES + (long) (WORKING_ROW_BYTES * squares);
    }

    /** The process's resident bytes, zero where the system does not tell. */
    public static long processBytes() {
        try {
            String[] fields = Files.readString(STATM).split(" ", 3);
            return fields.length < 2 ? 0 : Long.parseLong(fields[1]) * PAGE_BYTES;
        } catch (IOException | NumberFormatException e) {
            return 0; // not Linux; the estimate stands
        }
    }

    /**
     * A load's growth made plausible: neighbours allocate and free at the same time, so growth below the file's size or
     * above the estimate is theirs.
     */
    static long plausibleBytes(long growthBytes, long modelBytes) {
        long estimate = estimateBytes(modelBytes);
        return Math.max(modelBytes + WORKING_BYTES, Math.min(estimate, growthBytes + WORKING_BYTES));
    }
}
