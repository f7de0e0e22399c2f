package io.recallgate.gateway.http.routes;

import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.recallgate.gateway.config.ApiKeys.Right;
import io.recallgate.gateway.http.json.JsonWorkers;
import io.recallgate.gateway.http.pipeline.Endpoint;
import io.recallgate.gateway.http.pipeline.Exchange;
import io.recallgate.gateway.http.pipeline.Gate;
import io.recallgate.gateway.http.pipeline.Reply;
import io.recallgate.gateway.runtime.GatewayRuntime;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** Health, metrics and the description of the API. */
public final class HealthRoutes {

    /** What {@link GatewayRuntime#health()} calls a gateway that serves. */
    private static final Set<String> SERVING = Set.of("ready", "degraded");

    private static final String METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8";

    private final GatewayRuntime runtime;
    private final PrometheusMeterRegistry registry;
    private final Buffer description;

    /**
     * Reads the API's description from the class path.
     *
     * @param registry what {@code GET /metrics} shows
     */
    public HealthRoutes(GatewayRuntime runtime, PrometheusMeterRegistry registry) {
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

    private Future<Reply> metrics(Exchange exchange) {
        // A scrape walks every meter: a few milliseconds, so it is treated like a large body.
        return Future.succeededFuture(new Reply(
                200, METRICS_TYPE, Map.of(), JsonWorkers.LARGE_BYTES, () -> Buffer.buffer(registry.scrape())));
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
