package io.recallgate.gateway.http;

import io.recallgate.gateway.http.pipeline.HttpEnvironment;
import io.recallgate.gateway.http.pipeline.HttpOptions;
import io.recallgate.gateway.runtime.GatewayRuntime;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.ext.web.Router;
import java.util.function.Supplier;

/**
 * All routes of the gateway on one router. Serves as soon as it is created: until the runtime is ready every route but
 * health answers 503. The router may be shared by several servers and event loops.
 */
public final class HttpApi {

    private final Router router;

    private HttpApi(Router router) {
        this.router = router;
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
        return new HttpApi(Router.router(vertx));
    }

    /** Server options with every limit explicit; host and port are the caller's to set. */
    public static HttpServerOptions serverOptions() {
        return new HttpServerOptions();
    }

    /** The routes, to be a server's request handler or a sub-router. */
    public Router router() {
        return router;
    }

    /** Stops what runs beside the routes; requests in flight are not touched. Idempotent. */
    public Future<Void> close() {
        return Future.succeededFuture();
    }
}
