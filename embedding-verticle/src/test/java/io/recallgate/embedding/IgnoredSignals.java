package io.recallgate.embedding;

import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** What this process was told to ignore when it started, and hands on to its children: the signal does not end those. */
public final class IgnoredSignals {

    private static final Path STATUS = Path.of("/proc/self/status");
    private static final String IGNORED = "SigIgn:";

    private IgnoredSignals() {}

    /**
     * Skips a test of this signal in such a process, as a background job of a shell is one. Where the system does not
     * tell, nothing is skipped.
     *
     * @param signal its name: {@code INT}
     * @param number of the same, from 1
     */
    public static void assumeHeeded(String signal, int number) throws IOException {
        assumeThat(Files.exists(STATUS) && isIn(Files.readString(STATUS), number))
                .as("SIG%s is ignored here, as in a background job: start the tests in the foreground", signal)
                .isFalse();
    }

    /** Whether the bit of this signal is set in the mask of ignored ones. */
    static boolean isIn(String status, int number) {
        return status.lines()
                .filter(line -> line.startsWith(IGNORED))
                .mapToLong(line ->
                        Long.parseUnsignedLong(line.substring(IGNORED.length()).strip(), 16))
                .anyMatch(mask -> (mask >>> (number - 1) & 1) == 1);
    }
}
