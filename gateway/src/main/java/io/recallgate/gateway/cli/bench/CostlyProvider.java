package io.recallgate.gateway.cli.bench;

import io.recallgate.gateway.cli.console.CommandFailedException;
import io.recallgate.time.Clock;
import io.recallgate.time.Timers;
import io.recallgate.time.VertxTimers;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A server that speaks OpenAI's {@code /v1/embeddings}, whose answers take as long as it is told, or which refuses
 * connections. It works on when its client has gone, as many do. Counts how long it is busy. Thread-safe.
 */
final class CostlyProvider implements AutoCloseable {

    private static final String HOST = "127.0.0.1";
    private static final String MODEL = "costly";
    private static final long BOUND_SECONDS = 30;

    private final Vertx vertx = Vertx.vertx(new VertxOptions().setEventLoopPoolSize(1));
    private final Timers timers = new VertxTimers(vertx);
    private final Clock clock;
    private final int port;
    private HttpServer server;
    private boolean listening = true;

    // All below is guarded by this.

    private long costMillis;
    private int working;
    private long sinceNanos;
    private long busyNanos;

    private CostlyProvider(Clock clock) {
        this.clock = clock;
        this.server = listen(0);
        this.port = server.actualPort();
    }

    /** Starts one on a free port of the loopback address; it answers at once. */
    static CostlyProvider start(Clock clock) {
        return new CostlyProvider(clock);
    }

    /** The settings of a gateway that asks this one. */
    Map<String, String> settings() {
        return Map.of(
                "RECALLGATE_EMBEDDING_PROVIDER",
                "openai",
                "RECALLGATE_EMBEDDING_URL",
                "http://" + HOST + ":" + port + "/v1",
                "RECALLGATE_EMBEDDING_MODEL",
                MODEL,
                "RECALLGATE_EMBEDDING_DIMENSIONS",
                Integer.toString(StallingProvider.DIMENSIONS));
    }

    /** From now on each answer takes so long; one that refused listens again. */
    void costs(long millis) {
        synchronized (this) {
            costMillis = millis;
        }
        if (!listening) {
            server = listen(port);
            listening = true;
        }
    }

    /** Refuses connections from now on, and breaks those off that there are. */
    void refuse() {
        await(server.close());
        listening = false;
    }

    /** How long it has been busy with one request at least, in nanoseconds. */
    synchronized long busyNanos() {
        return busyNanos + (working > 0 ? clock.nanoTime() - sinceNanos : 0);
    }

    private HttpServer listen(int on) {
        return await(vertx.createHttpServer().requestHandler(this::handle).listen(on, HOST));
    }

    private void handle(HttpServerRequest request) {
        long millis = begin();
        request.body()
                .onComplete(body -> timers.schedule(TimeUnit.MILLISECONDS.toNanos(millis), () -> {
                    end();
                    HttpServerResponse response = request.response();
                    if (body.succeeded() && !response.closed()) {
                        JsonObject asked = body.result().toJsonObject();
                        JsonArray inputs = asked.getValue("input") instanceof JsonArray several
                                ? several
                                : new JsonArray().add(asked.getString("input"));
                        response.putHeader("content-type", "application/json")
                                .end(StallingProvider.answer(inputs).encode());
                    }
                }));
    }

    private synchronized long begin() {
        if (working++ == 0) {
            sinceNanos = clock.nanoTime();
        }
        return costMillis;
    }

    private synchronized void end() {
        if (--working == 0) {
            busyNanos += clock.nanoTime() - sinceNanos;
        }
    }

    private static <T> T await(Future<T> future) {
        try {
            return future.toCompletionStage().toCompletableFuture().get(BOUND_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException e) {
            throw new CommandFailedException("the embedding server of the benchmark broke: " + e, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CommandFailedException("interrupted while the embedding server changed", e);
        }
    }

    @Override
    public void close() {
        vertx.close();
    }
}
