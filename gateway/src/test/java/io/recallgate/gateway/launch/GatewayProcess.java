package io.recallgate.gateway.launch;

import static org.assertj.core.api.Assertions.assertThat;

import io.recallgate.embedding.IgnoredSignals;
import io.recallgate.gateway.postgres.Eventually;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;

/** A gateway in a process of its own. */
final class GatewayProcess implements AutoCloseable {

    /** A busy machine takes several times what an idle one does. */
    private static final long BOUND_SECONDS = 120;

    private static final long SIGNAL_MILLIS = 1_500;

    private final Process process;
    private final Path out;
    private final Path err;

    private GatewayProcess(Process process, Path out, Path err) {
        this.process = process;
        this.out = out;
        this.err = err;
    }

    /**
     * Starts one, without embeddings and on any free port unless {@code environment} says otherwise.
     *
     * @param directory where its output goes; also its working directory
     */
    static GatewayProcess start(Path directory, Map<String, String> environment) throws IOException {
        return start(Main.class, directory, environment);
    }

    /** Starts one by another class, which calls {@link Main}. */
    static GatewayProcess start(Class<?> main, Path directory, Map<String, String> environment) throws IOException {
        Path out = Files.createTempFile(directory, "out", ".txt");
        Path err = Files.createTempFile(directory, "err", ".txt");
        ProcessBuilder builder = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx256m",
                        "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("java.class.path"),
                        main.getName(),
                        "serve")
                .directory(directory.toFile())
                .redirectOutput(out.toFile())
                .redirectError(err.toFile());
        builder.environment().keySet().removeIf(name -> name.startsWith("RECALLGATE_"));
        builder.environment().put("RECALLGATE_HTTP_PORT", "0");
        builder.environment().put("RECALLGATE_EMBEDDING_PROVIDER", "none");
        builder.environment().putAll(environment);
        return new GatewayProcess(builder.start(), out, err);
    }

    GatewayProcess awaitReady() throws InterruptedException {
        await("ready");
        return this;
    }

    GatewayProcess awaitListening() throws InterruptedException {
        await("listening");
        return this;
    }

    private void await(String word) throws InterruptedException {
        Eventually.holds(
                word + ", but: " + lines(out) + lines(err),
                BOUND_SECONDS,
                () -> !process.isAlive() || lines(out).stream().anyMatch(line -> line.startsWith(word)));
        assertThat(process.isAlive()).as(lines(err).toString()).isTrue();
    }

    int port() {
        String line = lines(out).get(0);
        return Integer.parseInt(line.substring(line.lastIndexOf(':') + 1));
    }

    int awaitExit() throws InterruptedException {
        assertThat(process.waitFor(BOUND_SECONDS, TimeUnit.SECONDS))
                .as(lines(err).toString())
                .isTrue();
        return process.exitValue();
    }

    /** SIGTERM. */
    void terminate() {
        process.destroy();
    }

    /** SIGTERM each second and a half: two that come closer count as one. */
    void terminateUntilItEnds() throws InterruptedException {
        for (int i = 0; i < BOUND_SECONDS && process.isAlive(); i++) {
            terminate();
            if (process.waitFor(SIGNAL_MILLIS, TimeUnit.MILLISECONDS)) {
                return;
            }
        }
    }

    /** SIGHUP. */
    void hangUp() throws IOException, InterruptedException {
        IgnoredSignals.assumeHeeded("HUP", 1);
        Signals.send("HUP", process.pid());
    }

    /** SIGSTOP: it is there and does nothing. */
    void freeze() throws IOException, InterruptedException {
        Signals.send("STOP", process.pid());
    }

    /** SIGCONT. */
    void thaw() throws IOException, InterruptedException {
        Signals.send("CONT", process.pid());
    }

    /** Bytes in memory, where the system tells. */
    OptionalLong residentBytes() throws IOException {
        Path status = Path.of("/proc", Long.toString(process.pid()), "status");
        if (!Files.exists(status)) {
            return OptionalLong.empty();
        }
        return lines(status).stream()
                .filter(line -> line.startsWith("VmRSS:"))
                .mapToLong(line -> 1_024 * Long.parseLong(line.replaceAll("\\D", "")))
                .findFirst();
    }

    /** SIGKILL. */
    void kill() throws InterruptedException {
        // Also one that is frozen.
        process.destroyForcibly();
        awaitExit();
    }

    List<String> output() {
        return lines(out);
    }

    /** What it says to its user, without the log. */
    List<String> complaints() {
        return lines(err).stream()
                .filter(line -> line.startsWith("recallgate: "))
                .toList();
    }

    List<String> errorOutput() {
        return lines(err);
    }

    /** The PostgreSQL that belongs to this data directory. */
    static Optional<ProcessHandle> postgres(Path dataDir) throws IOException {
        Path file = dataDir.resolve("postgres/cluster-17/pgdata/postmaster.pid");
        return Files.exists(file)
                ? ProcessHandle.of(
                        Long.parseLong(Files.readAllLines(file).get(0).strip()))
                : Optional.empty();
    }

    private static List<String> lines(Path file) {
        try {
            return Files.readAllLines(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        if (process.isAlive()) {
            terminate();
            process.onExit().orTimeout(BOUND_SECONDS, TimeUnit.SECONDS).join();
        }
    }
}
