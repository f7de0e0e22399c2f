package io.recallgate.gateway.cli;

import io.recallgate.gateway.cli.client.Answer;
import io.recallgate.gateway.cli.client.GatewayAddress;
import io.recallgate.gateway.cli.client.GatewayClient;
import io.recallgate.gateway.cli.console.CommandFailedException;
import io.recallgate.gateway.cli.console.Progress;
import io.recallgate.time.Deadline;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonObject;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** A gateway running on a thread of this process, while the command's own thread talks to it. */
final class ServerThread {

    private static final long LOOK_EVERY_MILLIS = 50;
    private static final Duration END_BOUND = Duration.ofSeconds(20);

    private final FutureTask<Integer> running;
    /** Empty once it is known that it will never listen. */
    private final CompletableFuture<Optional<String>> url = new CompletableFuture<>();

    ServerThread(GatewayServer server, Map<String, String> environment, Optional<Path> file) {
        this.running = new FutureTask<>(() -> {
            try {
                return server.run(environment, file, listening -> url.complete(Optional.of(listening)));
            } finally {
                // Whoever waits for a server that never listened is let go.
                url.complete(Optional.empty());
            }
        });
    }

    void start() {
        new Thread(running, "recallgate-server").start();
    }

    /**
     * Waits until the gateway is ready.
     *
     * @return its URL, null if it ended instead
     * @throws CommandFailedException if it is not ready in time
     */
    @Nullable
    String awaitReady(CliContext context, Duration bound) {
        Deadline deadline = Deadline.after(context.clock(), bound);
        GatewayClient client = awaitListening(context, bound);
        if (client == null) {
            return null;
        }
        try (Progress progress = Progress.passing(context.screen(), context.clock(), "starting")) {
            while (!deadline.isPassed()) {
                if (running.isDone()) {
                    return null;
                }
                if (isReady(client, progress)) {
                    return client.address().toString();
                }
                context.pauses().pauseMillis(LOOK_EVERY_MILLIS);
                if (Thread.currentThread().isInterrupted()) {
                    throw new CommandFailedException("interrupted while starting");
                }
            }
        }
        throw new CommandFailedException("the gateway is not ready after " + bound.toMinutes()
                + " minutes: its log above says what it is waiting for");
    }

    /** Waits for its end and returns its status; 1 when it broke. */
    int exitStatus() {
        try {
            return running.get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return 1;
        } catch (ExecutionException e) {
            throw new IllegalStateException("the server thread broke", e.getCause());
        }
    }

    /** Whether it is stopping without having been asked by us: looks for a bounded while. */
    boolean endsByItself(CliContext context) {
        Deadline deadline = Deadline.after(context.clock(), END_BOUND);
        GatewayClient client = client(context);
        while (!deadline.isPassed() && !running.isDone()) {
            if (client != null && client.tryGet("/health/live") != null) {
                return false;
            }
            context.pauses().pauseMillis(LOOK_EVERY_MILLIS);
        }
        return running.isDone();
    }

    /** A client of it once it listens; null if it ended instead. */
    private @Nullable GatewayClient awaitListening(CliContext context, Duration bound) {
        try {
            url.get(bound.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CommandFailedException("interrupted while starting", e);
        } catch (TimeoutException | ExecutionException e) {
            throw new CommandFailedException("the gateway does not listen after " + bound.toMinutes() + " minutes", e);
        }
        return client(context);
    }

    private @Nullable GatewayClient client(CliContext context) {
        return url.getNow(Optional.empty())
                .map(known -> new GatewayClient(
                        GatewayAddress.of(known, null, null), context.clock(), context.pauses(), Duration.ZERO))
                .orElse(null);
    }

    private static boolean isReady(GatewayClient client, Progress progress) {
        Answer ready = client.tryGet("/health/ready");
        if (ready != null && ready.isSuccess()) {
            return true;
        }
        Answer health = client.tryGet("/health");
        progress.show(health == null ? "listening" : parts(health));
        return false;
    }

    /** {@code database ready, embedding starting}: what the wait is for. */
    private static String parts(Answer health) {
        List<String> parts = new ArrayList<>();
        try {
            JsonObject object = new JsonObject(health.text());
            for (String name : object.fieldNames()) {
                if (object.getValue(name) instanceof JsonObject part
                        && part.getValue("status") instanceof String status) {
                    parts.add(name + " " + status);
                }
            }
        } catch (DecodeException e) {
            // Health says nothing readable yet; the next look may.
            return "listening";
        }
        return String.join(", ", parts);
    }
}
