package io.recallgate.gateway.http.routes;

import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import io.recallgate.gateway.config.ApiKeys.Right;
import io.recallgate.gateway.http.pipeline.Endpoint;
import io.recallgate.gateway.http.pipeline.Exchange;
import io.recallgate.gateway.http.pipeline.Gate;
import io.recallgate.gateway.http.pipeline.Reply;
import io.recallgate.gateway.runtime.GatewayRuntime;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.WorkerExecutor;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

/** Health, metrics and the description of the API. */
public final class HealthRoutes {

    /** What {@link GatewayRuntime#health()} calls a gateway that serves. */
    private static final Set<String> SERVING = Set.of("ready", "degraded");

    private static final String METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8";

    /** Scrapes under way and waiting: a Prometheus sends one at a time, and anybody may ask. */
    private static final int MAX_SCRAPES = 8;

    private final GatewayRuntime runtime;
    private final PrometheusMeterRegistry registry;
    private final WorkerExecutor scraper;
    private final AtomicInteger scrapes = new AtomicInteger();
    private final Buffer description;

    /**
     * Reads the API's description from the class path.
     *
     * @param vertx whose event loops serve
     * @param registry what {@code GET /metrics} shows
     */
    public HealthRoutes(Vertx vertx, GatewayRuntime runtime, PrometheusMeterRegistry registry) {
        this.scraper = vertx.createSharedWorkerExecutor("recallgate-metrics", 1);
        this.runtime = runtime;
        this.registry = registry;
        this.description = Buffer.buffer(resource("/openapi.yaml"));
    }

    /** The routes. */
    public List<Endpoint> endpoints() {
        return List.of(
                Endpoint.of(HttpMethod.GET, "/health/live", Right.READ, this::live)
                        .gate(Gate.ALWAYS),
                Endpoint.of(HttpMethod.GET, "/health/ready", Right.READ, this::ready)
                        .gate(Gate.ALWAYS),
                Endpoint.of(HttpMethod.GET, "/health", Right.READ, this::health).gate(Gate.ALWAYS),
                Endpoint.of(HttpMethod.GET, "/metrics", Right.READ, this::metrics)
                        .gate(Gate.PUBLIC),
                Endpoint.of(HttpMethod.GET, "/openapi.yaml", Right.READ, this::openApi)
                        .gate(Gate.PUBLIC));
    }

    /** That this answers is the whole message: the event loop turns. No I/O. */
    private Future<Reply> live(Exchange exchange) {
        return Future.succeededFuture(Reply.json(200, new JsonObject().put("status", "live")));
    }

    private Future<Reply> ready(Exchange exchange) {
        if (runtime.phase() != GatewayRuntime.Phase.READY) {
            return Future.succeededFuture(notServing(
                    new JsonObject().put("status", runtime.phase().name().toLowerCase(Locale.ROOT))));
        }
        return runtime.health().map(health -> {
            JsonObject status = new JsonObject().put("status", health.getString("status"));
            return SERVING.contains(health.getString("status", "")) ? Reply.json(200, status) : notServing(status);
        });
    }

    private Future<Reply> health(Exchange exchange) {
        return runtime.health()
                .map(health -> SERVING.contains(health.getString("status", ""))
                        ? Reply.json(200, health)
                        : notServing(health));
    }

    private static Reply notServing(JsonObject body) {
        return Reply.json(503, body).header("retry-after", "1");
    }

    /**
     * A scrape walks every meter, some milliseconds. On a thread of its own: while read workers and everything else hang,
     * metrics are what shows it.
     */
    private Future<Reply> metrics(Exchange exchange) {
        if (scrapes.incrementAndGet() > MAX_SCRAPES) {
            scrapes.decrementAndGet();
            return Future.failedFuture(new FailureException(FailureCode.OVERLOADED, "too many scrapes at once")
                    .retryAfter(Duration.ofSeconds(1)));
        }
        return scraper.executeBlocking(() -> Buffer.buffer(registry.scrape()), false)
                .onComplete(done -> scrapes.decrementAndGet())
                .map(page -> Reply.of(200, METRICS_TYPE, page));
    }

    private Future<Reply> openApi(Exchange exchange) {
        return Future.succeededFuture(Reply.of(200, "application/yaml", description));
    }

    private static byte[] resource(String name) {
        try (InputStream in = HealthRoutes.class.getResourceAsStream(name)) {
            if (in == null) {
                throw new IllegalStateException("not on the class path: " + name);
            }
            return in.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
