package io.recallgate.gateway.cli.bench.sessions;

import io.recallgate.gateway.cli.console.CommandFailedException;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** The {@link StubProvider} as a process. Used by one thread, but for its address. */
final class StubProcess implements AutoCloseable {

    private static final long STOP_SECONDS = 5;

    private final Process process;
    private final int port;

    private StubProcess(Process process, int port) {
        this.process = process;
        this.port = port;
    }

    /** Starts one on a free port of the loopback address. */
    static StubProcess start() {
        ProcessBuilder builder = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx384m",
                        "-XX:+UseSerialGC",
                        "-cp",
                        System.getProperty("java.class.path")
                                .replace(File.pathSeparator + File.pathSeparator, File.pathSeparator),
                        StubProvider.class.getName())
                .redirectError(ProcessBuilder.Redirect.DISCARD);
        try {
            Process process = builder.start();
            BufferedReader out =
                    new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
            for (String line = out.readLine(); line != null; line = out.readLine()) {
                Integer port = StubProvider.port(line);
                if (port != null) {
                    return new StubProcess(process, port);
                }
            }
            throw new CommandFailedException("the provider to measure with does not start");
        } catch (IOException e) {
            throw new CommandFailedException("cannot start a provider to measure with: " + e.getMessage(), e);
        }
    }

    /** Where it serves. */
    URI url() {
        return URI.create("http://127.0.0.1:" + port);
    }

    /** The settings of a gateway that has it as the provider of both protocols. */
    Map<String, String> settings() {
        return Map.of(
                "RECALLGATE_UPSTREAM_OPENAI_URL", url() + "/v1", "RECALLGATE_UPSTREAM_ANTHROPIC_URL", url().toString());
    }

    @Override
    public void close() {
        boolean interrupted = Thread.interrupted();
        try {
            process.getOutputStream().close();
            if (!process.waitFor(STOP_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException e) {
            interrupted = true;
            process.destroyForcibly();
        } catch (IOException e) {
            process.destroyForcibly();
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
