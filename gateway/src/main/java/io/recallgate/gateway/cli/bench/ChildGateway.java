package io.recallgate.gateway.cli.bench;

import io.recallgate.gateway.cli.client.Answer;
import io.recallgate.gateway.cli.client.GatewayClient;
import io.recallgate.gateway.cli.client.Pauses;
import io.recallgate.gateway.cli.console.CommandFailedException;
import io.recallgate.time.Clock;
import io.recallgate.time.Deadline;
import java.io.File;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A gateway in a JVM of its own, started with this JVM's flags, watched from outside. Used by one thread. */
public final class ChildGateway implements AutoCloseable {

    private static final Duration START_LIMIT = Duration.ofMinutes(3);
    private static final Duration STOP_LIMIT = Duration.ofSeconds(30);
    private static final long LOOK_EVERY_MILLIS = 5;
    private static final Pattern RESIDENT = Pattern.compile("(?m)^VmRSS:\\s+([0-9]+) kB$");

    private final Process process;
    private final GatewayClient client;
    private final Clock clock;
    private final Pauses pauses;
    private final Path log;
    private final long startedNanos;

    private ChildGateway(Process process, GatewayClient client, Clock clock, Pauses pauses, Path log) {
        this.process = process;
        this.client = client;
        this.clock = clock;
        this.pauses = pauses;
        this.log = log;
        this.startedNanos = clock.nanoTime();
    }

    /**
     * Starts one with the settings of this process's environment.
     *
     * @param client talks to it
     * @param port where it listens
     * @param dataDirectory its data
     */
    static ChildGateway start(GatewayClient client, Clock clock, Pauses pauses, int port, Path dataDirectory) {
        return start(client, clock, pauses, log -> {
            ProcessBuilder builder = builder(log);
            builder.environment().putAll(place(port, dataDirectory));
            return builder;
        });
    }

    /**
     * How one is started.
     *
     * @param port where it listens
     * @param dataDirectory its data
     * @param settings by the names of their variables
     * @param flags of its JVM besides those of this one
     */
    public record Launch(int port, Path dataDirectory, Map<String, String> settings, List<String> flags) {

        /** Copies. */
        public Launch {
            settings = Map.copyOf(settings);
            flags = List.copyOf(flags);
        }
    }

    /**
     * Starts one with these settings and no others, so that what is measured does not depend on who measures.
     *
     * @param client talks to it
     */
    public static ChildGateway startWith(GatewayClient client, Clock clock, Pauses pauses, Launch launch) {
        return start(client, clock, pauses, log -> {
            ProcessBuilder builder = builder(log);
            builder.command().addAll(1, launch.flags());
            Map<String, String> environment = builder.environment();
            environment.keySet().removeIf(name -> name.startsWith("RECALLGATE_") || name.startsWith("EMBEDDING_"));
            environment.putAll(launch.settings());
            environment.putAll(place(launch.port(), launch.dataDirectory()));
            // Where it stands there is no settings file either.
            builder.directory(launch.dataDirectory().toFile());
            return builder;
        });
    }

    private static Map<String, String> place(int port, Path dataDirectory) {
        return Map.of(
                "RECALLGATE_HTTP_HOST", "127.0.0.1",
                "RECALLGATE_HTTP_PORT", Integer.toString(port),
                "RECALLGATE_DATA_DIR", dataDirectory.toString());
    }

    /** A port that was free a moment ago. */
    public static int freePort() {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        } catch (IOException e) {
            throw new CommandFailedException("no free port on the loopback address: " + e.getMessage(), e);
        }
    }

    private static ChildGateway start(
            GatewayClient client, Clock clock, Pauses pauses, Function<Path, ProcessBuilder> how) {
        try {
            Path log = Files.createTempFile("recallgate-bench", ".log");
            return new ChildGateway(how.apply(log).start(), client, clock, pauses, log);
        } catch (IOException e) {
            throw new CommandFailedException("cannot start a gateway to measure: " + e.getMessage(), e);
        }
    }

    private static ProcessBuilder builder(Path log) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        for (String flag : ManagementFactory.getRuntimeMXBean().getInputArguments()) {
            // What the launcher tells about the terminal is not for the child; debuggers would fight over a port.
            if (!flag.startsWith("-Drecallgate.terminal") && !flag.startsWith("-agentlib")) {
                command.add(flag);
            }
        }
        command.addAll(List.of(
                "-cp", absolute(System.getProperty("java.class.path")), "io.recallgate.gateway.launch.Main", "serve"));
        ProcessBuilder builder =
                new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile());
        // Its end is shown to people when it does not come up.
        builder.environment().putIfAbsent("RECALLGATE_LOG_FORMAT", "text");
        return builder;
    }

    /** The same class path for a process in another directory. */
    private static String absolute(String classPath) {
        return Stream.of(classPath.split(File.pathSeparator, -1))
                .map(entry -> Path.of(entry).toAbsolutePath().toString())
                .collect(Collectors.joining(File.pathSeparator));
    }

    /** Milliseconds from the start until {@code path} answers with success. */
    public double awaitMillis(String path) {
        Deadline deadline = Deadline.after(clock, START_LIMIT);
        while (!deadline.isPassed()) {
            Answer answer = client.tryGet(path);
            if (answer != null && answer.isSuccess()) {
                return (clock.nanoTime() - startedNanos) / (double) TimeUnit.MILLISECONDS.toNanos(1);
            }
            if (!process.isAlive()) {
                throw new CommandFailedException(
                        "the gateway to measure ended with status " + process.exitValue() + ": its log is " + log);
            }
            pauses.pauseMillis(LOOK_EVERY_MILLIS);
            if (Thread.currentThread().isInterrupted()) {
                throw new CommandFailedException("interrupted while waiting for the gateway to measure");
            }
        }
        throw new CommandFailedException(
                "the gateway to measure is not there after " + START_LIMIT.toSeconds() + " s: its log is " + log);
    }

    /** Resident bytes of the JVM alone, without PostgreSQL; empty where there is no /proc. */
    public OptionalLong residentBytes() {
        Path status = Path.of("/proc", Long.toString(process.pid()), "status");
        if (!Files.isReadable(status)) {
            return OptionalLong.empty();
        }
        try {
            Matcher matcher = RESIDENT.matcher(Files.readString(status, StandardCharsets.UTF_8));
            return matcher.find() ? OptionalLong.of(Long.parseLong(matcher.group(1)) * 1_024) : OptionalLong.empty();
        } catch (IOException e) {
            throw new CommandFailedException("the gateway to measure is gone: its log is " + log, e);
        }
    }

    /** Asks it to stop as Ctrl-C would, and returns how many milliseconds that took; its log is kept if it failed. */
    public double stopMillis() {
        long started = clock.nanoTime();
        process.destroy();
        try {
            if (!process.waitFor(STOP_LIMIT.toSeconds(), TimeUnit.SECONDS)) {
                throw new CommandFailedException("the gateway to measure did not stop within " + STOP_LIMIT.toSeconds()
                        + " s: its log is " + log);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CommandFailedException("interrupted while stopping the gateway to measure", e);
        }
        double millis = (clock.nanoTime() - started) / (double) TimeUnit.MILLISECONDS.toNanos(1);
        if (process.exitValue() != 0) {
            throw new CommandFailedException(
                    "the gateway to measure stopped with status " + process.exitValue() + ": its log is " + log);
        }
        try {
            Files.deleteIfExists(log);
        } catch (IOException e) {
            throw new CommandFailedException("cannot delete " + log + ": " + e.getMessage(), e);
        }
        return millis;
    }

    /** Ends it as a power cut would, and leaves no log. */
    public void kill() {
        process.destroyForcibly();
        try {
            process.waitFor();
            Files.deleteIfExists(log);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CommandFailedException("interrupted while killing the gateway to measure", e);
        } catch (IOException e) {
            throw new CommandFailedException("cannot delete " + log + ": " + e.getMessage(), e);
        }
    }

    /**
     * Leaves no process behind, whatever happened: one that still runs gets time to stop its PostgreSQL. The log stays
     * unless the measuring was interrupted, which is no failure.
     */
    @Override
    public void close() {
        boolean interrupted = Thread.interrupted();
        try {
            process.destroy();
            if (!process.waitFor(STOP_LIMIT.toSeconds(), TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
            if (interrupted) {
                Files.deleteIfExists(log);
            }
        } catch (InterruptedException e) {
            interrupted = true;
            process.destroyForcibly();
        } catch (IOException e) {
            throw new CommandFailedException("cannot delete " + log + ": " + e.getMessage(), e);
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
