package io.recallgate.gateway.cli;

import io.recallgate.gateway.cli.bench.BenchContext;
import io.recallgate.gateway.cli.client.Pauses;
import io.recallgate.gateway.cli.console.Screen;
import io.recallgate.time.Clock;
import io.recallgate.time.SystemClock;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/**
 * What a command gets from outside.
 *
 * @param screen where it writes
 * @param in where {@code import -} reads
 * @param environment variables of the process
 * @param clock time
 * @param pauses waiting
 */
public record CliContext(Screen screen, InputStream in, Map<String, String> environment, Clock clock, Pauses pauses) {
    /** Copies the variables. */
    public CliContext {
        environment = Map.copyOf(environment);
    }

    /** What of it benchmarks get. */
    BenchContext bench() {
        return new BenchContext(screen, clock, pauses);
    }

    /** This process's streams, environment and time. Text is UTF-8 whatever the locale says: memories are. */
    public static CliContext ofProcess() {
        PrintStream out = new PrintStream(new FileOutputStream(FileDescriptor.out), true, StandardCharsets.UTF_8);
        PrintStream err = new PrintStream(new FileOutputStream(FileDescriptor.err), true, StandardCharsets.UTF_8);
        Map<String, String> environment = System.getenv();
        return new CliContext(
                Screen.detect(out, err, System.getProperties(), environment),
                System.in,
                environment,
                SystemClock.INSTANCE,
                Pauses.real());
    }
}
