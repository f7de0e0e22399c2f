package io.recallgate.gateway.http;

import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import io.recallgate.gateway.config.ApiKeys.Right;
import io.recallgate.gateway.http.conversation.ConversationRoutes;
import io.recallgate.gateway.http.json.JsonWorkers;
import io.recallgate.gateway.http.openai.EmbeddingRoutes;
import io.recallgate.gateway.http.pipeline.Connections;
import io.recallgate.gateway.http.pipeline.Endpoint;
import io.recallgate.gateway.http.pipeline.Exchange;
import io.recallgate.gateway.http.pipeline.Gate;
import io.recallgate.gateway.http.pipeline.HttpEnvironment;
import io.recallgate.gateway.http.pipeline.HttpOptions;
import io.recallgate.gateway.http.pipeline.LagSampler;
import io.recallgate.gateway.http.pipeline.MalformedRequests;
import io.recallgate.gateway.http.pipeline.Pipeline;
import io.recallgate.gateway.http.pipeline.Reply;
import io.recallgate.gateway.http.routes.HealthRoutes;
import io.recallgate.gateway.http.routes.MemoryRoutes;
import io.recallgate.gateway.http.routes.OperationRoutes;
import io.recallgate.gateway.http.routes.ProbeRoutes;
import io.recallgate.gateway.http.routes.RecallRoutes;
import io.recallgate.gateway.http.transfer.TransferOptions;
import io.recallgate.gateway.http.transfer.TransferRoutes;
import io.recallgate.gateway.runtime.GatewayRuntime;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.ext.web.Router;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * All routes of the gateway on one router. Serves as soon as it is created: until the runtime is ready every route but
 * health answers 503. The router may be shared by several servers and event loops.
 */
public final class HttpApi {

    /** What is used of a request line: a long cursor in a query string fits, an attack does not. */
    private static final int REQUEST_LINE_BYTES = 8 * 1024;

    /** Room for a proxy's tracing and forwarding headers. */
    private static final int HEADER_BYTES = 16 * 1024;

    /** Longer than any deadline: it must not cut an answer that is still being made, only forgotten connections. */
    private static final int IDLE_MINUTES = 20;

    private final Router router;
    private final List<Endpoint> endpoints;
    private final Future<String> sampler;
    private final Vertx vertx;
    private final Connections connections;
    private final ConversationRoutes conversations;
    private final AtomicBoolean closed = new AtomicBoolean();

    private HttpApi(
            Vertx vertx,
            List<Endpoint> endpoints,
            ConversationRoutes conversations,
            Pipeline pipeline,
            Future<String> sampler,
            Connections connections) {
        this.vertx = vertx;
        this.conversations = conversations;
        this.connections = connections;
        this.endpoints = List.copyOf(endpoints);
        this.sampler = sampler;
        this.router = Router.router(vertx);
        mount(pipeline);
    }

    /**
     * Builds the routes.
     *
     * @param vertx whose event loops serve
     * @param runtime asked on each request; may still be starting
     * @param environment clock, timers, meters and keys
     * @param options read on each request
     */
    public static HttpApi create(
            Vertx vertx, GatewayRuntime runtime, HttpEnvironment environment, Supplier<HttpOptions> options) {
        return create(vertx, runtime, environment, options, TransferOptions.DEFAULTS);
    }

    /** The same with other bounds of imports and exports. */
    static HttpApi create(
            Vertx vertx,
            GatewayRuntime runtime,
            HttpEnvironment environment,
            Supplier<HttpOptions> options,
            TransferOptions transfers) {
        JsonWorkers workers = new JsonWorkers(runtime.readers(), environment.timers());
        List<Endpoint> endpoints = new ArrayList<>();
        ConversationRoutes conversations = new ConversationRoutes(vertx, runtime, environment, workers);
        endpoints.addAll(new TransferRoutes(runtime, environment, transfers).endpoints());
        endpoints.addAll(new MemoryRoutes(runtime).endpoints());
        endpoints.addAll(new RecallRoutes(runtime).endpoints());
        endpoints.addAll(new EmbeddingRoutes(runtime).endpoints());
        endpoints.addAll(conversations.endpoints());
        endpoints.addAll(new OperationRoutes(runtime).endpoints());
        endpoints.addAll(new ProbeRoutes(runtime).endpoints());
        endpoints.addAll(new HealthRoutes(vertx, runtime, environment.registry()).endpoints());
        Future<String> sampler =
                // Instances go round the event loops: as many as Vert.x has by default leave none unwatched.
                vertx.deployVerticle(
                        () -> new LagSampler(environment),
                        new DeploymentOptions().setInstances(VertxOptions.DEFAULT_EVENT_LOOP_POOL_SIZE));
        Connections connections = new Connections(environment.timers(), Connections.MAX_OPEN);
        return new HttpApi(
                vertx,
                endpoints,
                conversations,
                new Pipeline(runtime, environment, options, workers, connections),
                sampler,
                connections);
    }

    /** Server options with every limit explicit; host and port are the caller's to set. */
    public static HttpServerOptions serverOptions() {
        return new HttpServerOptions()
                .setMaxInitialLineLength(REQUEST_LINE_BYTES)
                .setMaxHeaderSize(HEADER_BYTES)
                .setIdleTimeout(IDLE_MINUTES)
                .setIdleTimeoutUnit(TimeUnit.MINUTES)
                // Bodies are bounded in bytes as they come; decompression would undo the bound.
                .setDecompressionSupported(false)
                .setCompressionSupported(false)
                // The upgrade from HTTP/1.1 buffers bodies on its own terms, and nobody needs it on a loopback.
                .setHttp2ClearTextEnabled(false)
                // The body reader answers "expect: 100-continue" after it has checked the announced length.
                .setHandle100ContinueAutomatically(false);
    }

    /** Has {@code server}, which is not listening yet, serve the routes, with bounds on its connections. */
    public HttpServer serve(HttpServer server) {
        return server.connectionHandler(connections::opened)
                .invalidRequestHandler(new MalformedRequests())
                .requestHandler(request -> {
                    connections.heard(request.connection());
                    router.handle(request);
                });
    }

    /** The routes, to be a sub-router; as a server's own, {@link #serve} does more. */
    public Router router() {
        return router;
    }

    /** Every route, for the description's test. */
    public List<Endpoint> endpoints() {
        return endpoints;
    }

    /** Stops what runs beside the routes; requests in flight are not touched. Idempotent. */
    public Future<Void> close() {
        if (!closed.compareAndSet(false, true)) {
            return Future.succeededFuture();
        }
        return sampler.compose(vertx::undeploy).eventually(conversations::close);
    }

    private void mount(Pipeline pipeline) {
        Map<String, List<Endpoint>> byPath = new LinkedHashMap<>();
        for (Endpoint endpoint : endpoints) {
            byPath.computeIfAbsent(endpoint.path(), path -> new ArrayList<>()).add(endpoint);
            router.route(endpoint.method(), endpoint.routerPath())
                    .handler(routing -> pipeline.serve(routing, endpoint));
            if (endpoint.method().equals(HttpMethod.GET)) {
                // The same without its body; every server has to know it (RFC 9110, 9.1).
                router.route(HttpMethod.HEAD, endpoint.routerPath())
                        .handler(routing -> pipeline.serve(routing, endpoint));
            }
        }
        byPath.forEach((path, sharing) -> {
            Endpoint otherwise = wrongMethod(sharing);
            router.route(otherwise.routerPath()).handler(routing -> pipeline.serve(routing, otherwise));
        });
        Endpoint unknown = Endpoint.of(HttpMethod.GET, "unknown", Right.READ, HttpApi::unknown)
                .gate(Gate.ALWAYS);
        router.route().handler(routing -> pipeline.serve(routing, unknown));
        // What Vert.x refuses before any route: a path that is none, or that is not valid percent-encoding.
        Endpoint malformed = Endpoint.of(HttpMethod.GET, "malformed", Right.READ, HttpApi::malformed)
                .gate(Gate.ALWAYS);
        router.errorHandler(400, routing -> pipeline.serve(routing, malformed));
        router.errorHandler(404, routing -> pipeline.serve(routing, unknown));
    }

    private static Endpoint wrongMethod(List<Endpoint> sharing) {
        Endpoint first = sharing.get(0);
        String methods = sharing.stream()
                .map(endpoint -> endpoint.method().name())
                .flatMap(method -> method.equals("GET") ? Stream.of(method, "HEAD") : Stream.of(method))
                .collect(Collectors.toCollection(TreeSet::new))
                .stream()
                .collect(Collectors.joining(", "));
        return Endpoint.of(first.method(), first.path(), Right.READ, exchange -> {
                    exchange.allow(methods);
                    throw new FailureException(FailureCode.METHOD_NOT_ALLOWED, first.path() + " takes " + methods);
                })
                .dialect(first.dialect())
                .gate(Gate.ALWAYS);
    }

    private static Future<Reply> malformed(Exchange exchange) {
        throw new FailureException(FailureCode.INVALID_FIELD, "the request target or the host header is not valid");
    }

    private static Future<Reply> unknown(Exchange exchange) {
        throw new FailureException(FailureCode.NOT_FOUND, "there is no such route; GET /openapi.yaml lists them");
    }
}
