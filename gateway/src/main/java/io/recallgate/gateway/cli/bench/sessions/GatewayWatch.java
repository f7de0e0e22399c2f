package io.recallgate.gateway.cli.bench.sessions;

import io.recallgate.gateway.cli.bench.ChildGateway;
import io.recallgate.gateway.cli.client.Answer;
import io.recallgate.gateway.cli.client.GatewayClient;
import io.recallgate.gateway.cli.client.Pauses;
import io.recallgate.gateway.cli.console.CommandFailedException;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonObject;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Looks at a gateway every second on a thread of its own: how much memory it holds, and what waits in it. */
final class GatewayWatch implements AutoCloseable {

    private static final long EVERY_MILLIS = 1_000;
    private static final long END_SECONDS = 5;

    private final ChildGateway gateway;
    private final GatewayClient client;
    private final Pauses pauses;
    private final Thread thread = new Thread(this::look, "recallgate-bench-watch");
    // Guarded by this.
    private Peaks peaks = new Peaks(0, 0, 0, 0, 0, 0);

    GatewayWatch(ChildGateway gateway, GatewayClient client, Pauses pauses) {
        this.gateway = gateway;
        this.client = client;
        this.pauses = pauses;
        thread.setDaemon(true);
        thread.start();
    }

    synchronized Peaks peaks() {
        return peaks;
    }

    private void look() {
        while (!Thread.currentThread().isInterrupted()) {
            try {
                take(gateway.residentBytes().orElse(0), json("/v1/workers"), json("/v1/jobs"));
            } catch (CommandFailedException e) {
                // It is being stopped, or cannot answer just now.
                if (Thread.currentThread().isInterrupted()) {
                    return;
                }
            }
            pauses.pauseMillis(EVERY_MILLIS);
        }
    }

    private JsonObject json(String path) {
        Answer answer = client.tryGet(path);
        try {
            return answer == null || !answer.isSuccess() ? new JsonObject() : new JsonObject(answer.text());
        } catch (DecodeException e) {
            return new JsonObject();
        }
    }

    private synchronized void take(long resident, JsonObject workers, JsonObject jobs) {
        JsonObject queue = object(workers, "queue");
        JsonObject counts = object(jobs, "counts");
        peaks = new Peaks(
                Math.max(peaks.residentBytes(), resident),
                resident,
                Math.max(
                        peaks.queueDepth(),
                        number(object(queue, "queries"), "depth") + number(object(queue, "documents"), "depth")),
                Math.max(
                        peaks.queueAgeMillis(),
                        Math.max(
                                number(object(queue, "queries"), "oldest_age_ms"),
                                number(object(queue, "documents"), "oldest_age_ms"))),
                Math.max(
                        peaks.jobs(),
                        number(counts, "available") + number(counts, "running") + number(counts, "retryable")),
                Math.max(peaks.jobAgeMillis(), number(jobs, "oldest_age_ms")));
    }

    private static JsonObject object(JsonObject from, String field) {
        return from.getValue(field) instanceof JsonObject object ? object : new JsonObject();
    }

    private static long number(JsonObject from, String field) {
        @Nullable Object value = from.getValue(field);
        return value instanceof Number number ? number.longValue() : 0;
    }

    @Override
    public void close() {
        thread.interrupt();
        boolean interrupted = Thread.interrupted();
        try {
            thread.join(TimeUnit.SECONDS.toMillis(END_SECONDS));
        } catch (InterruptedException e) {
            interrupted = true;
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
