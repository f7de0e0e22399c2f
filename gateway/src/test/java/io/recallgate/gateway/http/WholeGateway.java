package io.recallgate.gateway.http;

import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.recallgate.embedding.remote.ScriptedProvider;
import io.recallgate.gateway.config.ConfigFiles;
import io.recallgate.gateway.config.SettingsHolder;
import io.recallgate.gateway.http.pipeline.HttpEnvironment;
import io.recallgate.gateway.http.pipeline.HttpOptions;
import io.recallgate.gateway.http.transfer.TransferOptions;
import io.recallgate.gateway.postgres.EmbeddedPostgres;
import io.recallgate.gateway.postgres.PostgresEndpoint;
import io.recallgate.gateway.postgres.PostgresOptions;
import io.recallgate.gateway.runtime.Recallgate;
import io.recallgate.time.SystemClock;
import io.recallgate.time.VertxTimers;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import java.net.http.HttpClient;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A gateway as the program makes it, with a way to its database and an embedding provider that have troubles when a test wants
 * them.
 */
final class WholeGateway implements AutoCloseable {

    final ScriptedProvider provider = ScriptedProvider.start(8);
    final DatabaseProxy wire;
    final Recallgate gateway;
    final int port;
    final HttpClient client = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(Duration.ofSeconds(20))
            .build();

    private final Vertx vertx = Vertx.vertx();
    private final EmbeddedPostgres postgres;
    private final HttpApi api;

    /**
     * Returns when it is ready.
     *
     * @param directory for everything that it keeps
     * @param more of the configuration
     * @param inFlight requests that it serves at once
     */
    WholeGateway(Path directory, JsonObject more, int inFlight) throws Exception {
        postgres = EmbeddedPostgres.start(PostgresOptions.of(directory.resolve("database")), SystemClock.INSTANCE);
        PostgresEndpoint at = postgres.endpoint();
        wire = new DatabaseProxy(at.host(), at.port());
        SettingsHolder settings = SettingsHolder.of(new JsonObject()
                .put("data-dir", directory.resolve("data").toString())
                .put(
                        "database",
                        new JsonObject()
                                .put(
                                        "url",
                                        "postgresql://" + at.user() + ":" + at.password() + "@127.0.0.1:" + wire.port
                                                + "/" + at.database() + "?sslmode=disable"))
                .put(
                        "embedding",
                        new JsonObject()
                                .put("provider", "openai")
                                .put("url", provider.url().toString())
                                .put("model", "scripted"))
                .mergeIn(more, true));
        Recallgate.Time time = new Recallgate.Time(SystemClock.INSTANCE, new VertxTimers(vertx));
        PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        ConfigFiles files = ConfigFiles.of(settings);
        gateway = Recallgate.create(vertx, files, time, registry);
        HttpOptions defaults = HttpOptions.DEFAULTS;
        api = HttpApi.create(
                vertx,
                gateway,
                new HttpEnvironment(
                        time.clock(), time.timers(), registry, files.keys().orElse(null), "127.0.0.1"),
                () -> new HttpOptions(defaults.lifetimeMillis(), defaults.bodies(), defaults.conversations(), inFlight),
                TransferOptions.DEFAULTS);
        port = TestGateway.await(api.serve(vertx.createHttpServer(HttpApi.serverOptions()))
                        .listen(0, "127.0.0.1"))
                .actualPort();
        gateway.start().await(120, TimeUnit.SECONDS);
    }

    @Override
    public void close() {
        try {
            gateway.stop().await(60, TimeUnit.SECONDS);
            TestGateway.await(api.close());
            TestGateway.await(vertx.close());
            provider.close();
            wire.close();
            postgres.stop();
        } catch (TimeoutException late) {
            throw new AssertionError("not stopped within a minute", late);
        } catch (InterruptedException ended) {
            Thread.currentThread().interrupt();
            throw new AssertionError(ended);
        }
    }
}
