package io.recallgate.bench.write;

import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.recallgate.gateway.cli.bench.SyntheticMemories;
import io.recallgate.gateway.cli.client.Answer;
import io.recallgate.gateway.cli.client.GatewayAddress;
import io.recallgate.gateway.cli.client.GatewayClient;
import io.recallgate.gateway.cli.client.Pauses;
import io.recallgate.gateway.cli.conversation.SourceItem;
import io.recallgate.gateway.cli.measure.Spans;
import io.recallgate.gateway.config.SettingsHolder;
import io.recallgate.gateway.http.HttpApi;
import io.recallgate.gateway.http.pipeline.HttpEnvironment;
import io.recallgate.gateway.http.pipeline.HttpOptions;
import io.recallgate.gateway.runtime.Recallgate;
import io.recallgate.gateway.runtime.StalledGateway;
import io.recallgate.time.SystemClock;
import io.recallgate.time.VertxTimers;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** One gateway whose embedder stands still, and clients that write to it as fast as it acknowledges. */
final class WriteLoad implements AutoCloseable {

    private static final long BOUND_SECONDS = 120;

    private final Vertx vertx = Vertx.vertx();
    private final StalledGateway stalled;
    private final HttpApi api;
    private final GatewayAddress address;

    /**
     * What to do.
     *
     * @param writes measured requests
     * @param warm requests before
     * @param memories in each request
     * @param clients that each send one request after the other
     * @param seed of the texts
     */
    record Plan(int writes, int warm, int memories, int clients, long seed) {}

    /**
     * What came of it.
     *
     * @param spans from the request to its acknowledgement, as the clients see it
     * @param memoriesPerSecond acknowledged by all clients together
     * @param waiting jobs that nobody has embedded: every memory ever written
     * @param embedded jobs that are done; anything but zero means that the embedder did not stand still
     * @param asked embeddings that were asked for and never answered
     */
    record Result(Spans spans, double memoriesPerSecond, long waiting, long embedded, long asked) {}

    /** @param directory for the gateway's data, empty */
    WriteLoad(Path directory) throws TimeoutException {
        PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        Recallgate.Time time = new Recallgate.Time(SystemClock.INSTANCE, new VertxTimers(vertx));
        SettingsHolder settings = SettingsHolder.of(new JsonObject().put("data-dir", directory.toString()));
        stalled = new StalledGateway(vertx, settings, time, registry);
        boolean open = false;
        try {
            await(stalled.gateway().start());
            api = HttpApi.create(
                    vertx,
                    stalled.gateway(),
                    new HttpEnvironment(time.clock(), time.timers(), registry, null, "127.0.0.1"),
                    () -> HttpOptions.of(settings.config().http()));
            int port = await(api.serve(vertx.createHttpServer(HttpApi.serverOptions()))
                            .listen(0, "127.0.0.1"))
                    .actualPort();
            address = GatewayAddress.of("http://127.0.0.1:" + port, null, null);
            open = true;
        } finally {
            if (!open) {
                end(stalled.gateway()::stop, vertx::close);
            }
        }
    }

    /**
     * Warms and measures.
     *
     * @throws io.recallgate.gateway.cli.console.CommandFailedException if a write is not acknowledged
     */
    Result run(Plan plan) throws Exception {
        List<JsonObject> requests = requests(plan);
        send(requests.subList(0, plan.warm()), plan.clients());
        long started = SystemClock.INSTANCE.nanoTime();
        Spans spans = send(requests.subList(plan.warm(), requests.size()), plan.clients());
        double seconds = (SystemClock.INSTANCE.nanoTime() - started) / (double) TimeUnit.SECONDS.toNanos(1);
        JsonObject counts = client().get("/v1/jobs").jsonOrFail().getJsonObject("counts");
        return new Result(
                spans,
                (double) plan.writes() * plan.memories() / seconds,
                counts.getLong("available") + counts.getLong("running") + counts.getLong("retryable"),
                counts.getLong("done"),
                stalled.asked());
    }

    private static List<JsonObject> requests(Plan plan) {
        int all = plan.warm() + plan.writes();
        List<JsonObject> requests = new ArrayList<>(all);
        try (SyntheticMemories memories = new SyntheticMemories(plan.seed(), Integer.MAX_VALUE)) {
            for (int i = 0; i < all; i++) {
                JsonArray some = new JsonArray();
                for (int j = 0; j < plan.memories(); j++) {
                    some.add(next(memories));
                }
                requests.add(new JsonObject().put("memories", some));
            }
        }
        return requests;
    }

    private static JsonObject next(SyntheticMemories memories) {
        @Nullable SourceItem item = memories.next();
        if (item instanceof SourceItem.Intact intact) {
            return intact.memory();
        }
        throw new IllegalStateException("made-up memories are intact and without end, but came " + item);
    }

    private Spans send(List<JsonObject> requests, int clients) throws Exception {
        Queue<JsonObject> left = new ConcurrentLinkedQueue<>(requests);
        ExecutorService threads = Executors.newFixedThreadPool(clients);
        try {
            List<java.util.concurrent.Future<Spans>> sending = new ArrayList<>();
            for (int i = 0; i < clients; i++) {
                sending.add(threads.submit(() -> sendAll(left)));
            }
            Spans all = new Spans();
            for (java.util.concurrent.Future<Spans> one : sending) {
                all.addAll(one.get());
            }
            return all;
        } finally {
            threads.shutdownNow();
        }
    }

    private Spans sendAll(Queue<JsonObject> left) {
        GatewayClient client = client();
        Spans spans = new Spans();
        for (JsonObject request = left.poll(); request != null; request = left.poll()) {
            Answer answer = client.post("/v1/memories", request);
            answer.jsonOrFail();
            spans.add(answer.nanos());
        }
        return spans;
    }

    /** Asks once: a refusal is a finding here. */
    private GatewayClient client() {
        return new GatewayClient(address, SystemClock.INSTANCE, Pauses.real(), Duration.ZERO);
    }

    private static <T> T await(Future<T> future) throws TimeoutException {
        return future.await(BOUND_SECONDS, TimeUnit.SECONDS);
    }

    @Override
    public void close() throws TimeoutException {
        end(api::close, stalled.gateway()::stop, vertx::close);
    }

    /** Waits for each, even if this thread was interrupted to end the measuring. */
    @SafeVarargs
    private static void end(Supplier<Future<?>>... steps) throws TimeoutException {
        boolean interrupted = Thread.interrupted();
        try {
            for (Supplier<Future<?>> step : steps) {
                await(step.get());
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
