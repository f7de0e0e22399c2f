package io.recallgate.gateway.cli.bench;

import io.recallgate.embedding.ProcessSignals;
import io.recallgate.gateway.cli.console.CommandFailedException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

/**
 * Measures in a directory of its own, of which nothing is left, whether the measuring ends by itself or by a signal: then
 * its thread is interrupted, and what it has started is expected to end with it.
 */
public final class ScratchRun {

    private ScratchRun() {}

    /** What is measured. */
    @FunctionalInterface
    public interface Work {

        /**
         * Measures, and ends what it has started before it returns or throws.
         *
         * @param directory empty
         * @return the exit status
         */
        int measure(Path directory) throws Exception;
    }

    /**
     * Runs.
     *
     * @param name the directory's name begins with it
     * @return the exit status: that of {@code work}, or of the signal that ended it
     */
    public static int run(String name, Work work) throws Exception {
        Thread measuring = Thread.currentThread();
        AtomicInteger signalled = new AtomicInteger();
        ProcessSignals.install(status -> {
            signalled.set(status);
            measuring.interrupt();
        });
        try {
            return inDirectory(name, work);
        } catch (CommandFailedException | InterruptedException e) {
            if (signalled.get() == 0) {
                throw e;
            }
            return signalled.get();
        }
    }

    private static int inDirectory(String name, Work work) throws Exception {
        Path directory;
        try {
            directory = Files.createTempDirectory(name);
        } catch (IOException e) {
            throw new CommandFailedException("cannot keep a data directory to measure with: " + e.getMessage(), e);
        }
        try {
            return work.measure(directory);
        } finally {
            delete(directory);
        }
    }

    private static void delete(Path directory) {
        try (Stream<Path> paths = Files.walk(directory)) {
            List<Path> all = paths.sorted(Comparator.reverseOrder()).toList();
            for (Path path : all) {
                Files.deleteIfExists(path);
            }
        } catch (IOException e) {
            throw new CommandFailedException("cannot delete " + directory + ": " + e.getMessage(), e);
        }
    }
}
