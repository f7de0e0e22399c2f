package io.recallgate.gateway.launch;

import io.recallgate.gateway.config.ConfigException;
import io.recallgate.gateway.config.RecallgateConfig;
import io.recallgate.gateway.config.Setting;
import io.recallgate.gateway.http.HttpApi;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import java.net.BindException;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

/** The HTTP server: one acceptor on each event loop, all on one port. */
final class HttpFront {

    private static final int SHARED_FREE_PORT = -1;

    private final Vertx vertx;
    private final HttpApi api;
    private final RecallgateConfig.Http config;
    private final long drainMillis;
    private final List<HttpServer> servers = new CopyOnWriteArrayList<>();

    HttpFront(Vertx vertx, HttpApi api, RecallgateConfig config) {
        this.vertx = vertx;
        this.api = api;
        this.config = config.http();
        this.drainMillis = config.drainMillis();
    }

    /**
     * Listens.
     *
     * @return the port; fails with a {@link ConfigException} when it cannot be had
     */
    Future<Integer> listen() {
        // Acceptors that share any free port ask for the same negative one; with 0 each would get its own.
        int port = config.port() == 0 ? SHARED_FREE_PORT : config.port();
        return vertx.deployVerticle(
                        () -> new Acceptor(port), new DeploymentOptions().setInstances(VertxFactory.eventLoops()))
                .map(deployed -> servers.get(0).actualPort())
                .recover(error -> Future.failedFuture(explained(error)));
    }

    private final class Acceptor extends VerticleBase {

        private final int port;

        Acceptor(int port) {
            this.port = port;
        }

        @Override
        public Future<?> start() {
            HttpServerOptions options =
                    HttpApi.serverOptions().setHost(config.host()).setPort(port);
            return api.serve(vertx.createHttpServer(options)).listen().onSuccess(servers::add);
        }
    }

    private Throwable explained(Throwable error) {
        String host = Setting.HTTP_HOST.environment() + " is '" + config.host() + "'";
        String port = Setting.HTTP_PORT.environment() + " is '" + config.port() + "'";
        if (error instanceof BindException) {
            String message = String.valueOf(error.getMessage());
            return message.contains("in use")
                    ? new ConfigException(port + ": another program listens there on " + config.host()
                            + "; stop it or choose another port, 0 for any free one")
                    : new ConfigException(host + ": this machine has no such address (" + message + ")");
        }
        if (error instanceof SocketException) {
            return new ConfigException(port + ": not allowed (" + error.getMessage() + "); choose one above 1023");
        }
        return error;
    }

    /** Accepts nothing new and waits for requests that run, to the drain bound. */
    Future<?> drain() {
        List<Future<Void>> ended = new ArrayList<>();
        servers.forEach(server -> ended.add(server.shutdown(drainMillis, TimeUnit.MILLISECONDS)));
        return Future.join(ended).eventually(api::close);
    }
}
