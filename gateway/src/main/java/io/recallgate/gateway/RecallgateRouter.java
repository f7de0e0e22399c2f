package io.recallgate.gateway;

import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.recallgate.gateway.config.ConfigFiles;
import io.recallgate.gateway.config.SettingsHolder;
import io.recallgate.gateway.http.HttpApi;
import io.recallgate.gateway.http.pipeline.HttpEnvironment;
import io.recallgate.gateway.http.pipeline.HttpOptions;
import io.recallgate.gateway.runtime.Recallgate;
import io.recallgate.time.SystemClock;
import io.recallgate.time.VertxTimers;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.VerticleBase;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.Router;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A whole gateway inside another Vert.x application. The router can be mounted at once, under a prefix:
 *
 * <pre>
 * router.route("/memory/*").subRouter(RecallgateRouter.create(vertx, config));
 * </pre>
 *
 * Until the gateway is ready every route but health answers 503. A verticle of that Vert.x owns the gateway, so
 * closing the Vert.x, which an application does before it exits, stops everything; {@link #close()} does it earlier.
 * Process signals stay the application's: it must close its Vert.x before the process ends, since a native model that
 * is cut off in the middle of a run ends the process uncleanly. The router answers unknown paths under its prefix
 * itself, and a body handler of the application may run before it.
 *
 * <p>The connections are the application's, too. On one where a client sends a large request ahead of an answer, Vert.x
 * does not see it leave before that answer's deadline.
 */
public final class RecallgateRouter {

    private static final Logger LOG = LoggerFactory.getLogger(RecallgateRouter.class);

    private final Vertx vertx;
    private final HttpApi api;
    private final Future<String> deployment;
    private final Promise<Void> ready = Promise.promise();

    private RecallgateRouter(Vertx vertx, SettingsHolder settings) {
        this.vertx = vertx;
        ConfigFiles files = ConfigFiles.of(settings);
        PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        Recallgate.Time time = new Recallgate.Time(SystemClock.INSTANCE, new VertxTimers(vertx));
        Recallgate gateway = Recallgate.create(vertx, files, time, registry);
        api = HttpApi.create(
                vertx,
                gateway,
                new HttpEnvironment(
                        time.clock(), time.timers(), registry, files.keys().orElse(null), null),
                () -> HttpOptions.of(settings.config().http()));
        deployment = vertx.deployVerticle(new Owner(gateway, api, ready));
    }

    /**
     * Starts a gateway and returns its routes.
     *
     * @param vertx the application's
     * @param config in the shape of {@code conf/recallgate.yaml}; the environment is not read. A keys file that it
     *     names is read here, on the calling thread
     * @throws io.recallgate.gateway.config.ConfigException one line about the first thing that is wrong
     */
    public static Router create(Vertx vertx, JsonObject config) {
        return open(vertx, config).router();
    }

    /** As {@link #create}, with a handle. */
    public static RecallgateRouter open(Vertx vertx, JsonObject config) {
        return new RecallgateRouter(vertx, SettingsHolder.of(config));
    }

    /** The routes; may be mounted before {@link #ready()}. */
    public Router router() {
        return api.router();
    }

    /** Completes when the gateway serves; fails with one line when it cannot. */
    public Future<Void> ready() {
        return ready.future();
    }

    /** Stops the gateway and leaves the application's Vert.x alone. The routes then answer 503. */
    public Future<Void> close() {
        return deployment.compose(vertx::undeploy);
    }

    /** Ties the gateway's life to the Vert.x it lives in. */
    private static final class Owner extends VerticleBase {

        private final Recallgate gateway;
        private final HttpApi api;
        private final Promise<Void> ready;

        Owner(Recallgate gateway, HttpApi api, Promise<Void> ready) {
            this.gateway = gateway;
            this.api = api;
            this.ready = ready;
        }

        @Override
        public Future<?> start() {
            // Not awaited: the routes serve from now on and say that they are starting. Not on this context: what is
            // deployed from a verticle is undeployed before it is told to stop, which would undo our order of stopping.
            Thread starter = new Thread(() -> gateway.start().onComplete(ready), "recallgate-start");
            starter.setDaemon(true);
            starter.start();
            ready.future().onFailure(error -> LOG.error("the gateway could not start", error));
            return Future.succeededFuture();
        }

        @Override
        public Future<?> stop() {
            return gateway.stop()
                    .onSuccess(unconfirmed -> {
                        if (!unconfirmed.isEmpty()) {
                            LOG.warn("the end of these was not seen: {}", unconfirmed);
                        }
                    })
                    .eventually(api::close);
        }
    }
}
