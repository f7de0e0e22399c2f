package io.recallgate.gateway.cli.bench.sessions;

import io.recallgate.gateway.cli.bench.BenchContext;
import io.recallgate.gateway.cli.bench.ChildGateway;
import io.recallgate.gateway.cli.console.CommandFailedException;
import io.recallgate.gateway.cli.console.Progress;
import io.recallgate.time.Deadline;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Another gateway to measure beside, {@code @portkey-ai/gateway} of npm, which keeps no memory. Installed once into the user's
 * cache, at a version that does not change by itself. Needs Node.js. Used by one thread.
 */
final class PortkeyProcess implements AutoCloseable {

    /** What is installed. */
    static final String PACKAGE = "@portkey-ai/gateway@1.15.2";

    private static final long INSTALL_MINUTES = 5;
    private static final Duration START_LIMIT = Duration.ofMinutes(1);
    private static final long STOP_SECONDS = 5;
    private static final long LOOK_EVERY_MILLIS = 50;

    private final Process process;
    private final URI url;

    private PortkeyProcess(Process process, URI url) {
        this.process = process;
        this.url = url;
    }

    /** @param environment tells where caches are */
    static PortkeyProcess start(BenchContext context, Map<String, String> environment) {
        Path server = installed(context, cache(environment));
        int port = ChildGateway.freePort();
        try {
            Process process = new ProcessBuilder("node", server.toString(), "--port=" + port, "--headless")
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
            PortkeyProcess portkey = new PortkeyProcess(process, URI.create("http://127.0.0.1:" + port));
            portkey.await(context);
            return portkey;
        } catch (IOException e) {
            throw new CommandFailedException("Node.js does not start: " + e.getMessage(), e);
        }
    }

    private static Path cache(Map<String, String> environment) {
        String set = environment.getOrDefault("XDG_CACHE_HOME", "");
        Path caches = set.isEmpty() ? Path.of(System.getProperty("user.home"), ".cache") : Path.of(set);
        return caches.resolve("recallgate-bench")
                .resolve(PACKAGE.replaceAll("[^a-z0-9.]+", "-").substring(1));
    }

    private static Path installed(BenchContext context, Path directory) {
        Path server = directory.resolve("node_modules/@portkey-ai/gateway/build/start-server.js");
        if (Files.exists(server)) {
            return server;
        }
        try (Progress progress = new Progress(context.screen(), context.clock(), "installing " + PACKAGE)) {
            progress.show("");
            Files.createDirectories(directory);
            Process npm = new ProcessBuilder(
                            "npm", "install", "--no-audit", "--no-fund", "--prefix", directory.toString(), PACKAGE)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
            if (!npm.waitFor(INSTALL_MINUTES, TimeUnit.MINUTES)) {
                npm.destroyForcibly();
            }
        } catch (IOException e) {
            throw new CommandFailedException("npm does not start: install Node.js, or leave out --beside", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CommandFailedException("interrupted while installing " + PACKAGE, e);
        }
        if (!Files.exists(server)) {
            throw new CommandFailedException(PACKAGE + " could not be installed into " + directory
                    + ": try 'npm install " + PACKAGE + "' there");
        }
        return server;
    }

    private void await(BenchContext context) {
        Deadline deadline = Deadline.after(context.clock(), START_LIMIT);
        while (!deadline.isPassed() && process.isAlive()) {
            try {
                new PlainHttp(url).close();
                return;
            } catch (CommandFailedException notYet) {
                context.pauses().pauseMillis(LOOK_EVERY_MILLIS);
            }
        }
        close();
        throw new CommandFailedException(PACKAGE + " does not listen");
    }

    URI url() {
        return url;
    }

    /** What it has to be told with each request. */
    static Map<String, String> headers(URI provider) {
        return Map.of(
                "x-portkey-provider", "openai",
                "x-portkey-custom-host", provider + "/v1",
                "authorization", "Bearer bench");
    }

    @Override
    public void close() {
        boolean interrupted = Thread.interrupted();
        process.destroy();
        try {
            if (!process.waitFor(STOP_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException e) {
            interrupted = true;
            process.destroyForcibly();
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
