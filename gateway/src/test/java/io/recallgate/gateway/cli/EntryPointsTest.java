package io.recallgate.gateway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.recallgate.gateway.RecallgateRouter;
import io.recallgate.gateway.postgres.EmbeddedPostgres;
import io.recallgate.gateway.postgres.Eventually;
import io.recallgate.gateway.postgres.PostgresEndpoint;
import io.recallgate.gateway.postgres.PostgresOptions;
import io.recallgate.time.SystemClock;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.client.HttpResponse;
import io.vertx.ext.web.client.WebClient;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** One gateway without a provider, asked over HTTP, over the event bus and on the command line. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(300)
class EntryPointsTest {

    private final Vertx vertx = Vertx.vertx();
    private final CommandLineRun line = new CommandLineRun();

    @SuppressWarnings("NullAway.Init") // set before the tests
    private EmbeddedPostgres postgres;

    @SuppressWarnings("NullAway.Init") // set before the tests
    private WebClient client;

    private int port;

    @BeforeAll
    void start(@TempDir Path directory) throws Exception {
        postgres = EmbeddedPostgres.start(PostgresOptions.of(directory.resolve("database")), SystemClock.INSTANCE);
        PostgresEndpoint at = postgres.endpoint();
        RecallgateRouter gateway = RecallgateRouter.open(
                vertx,
                new JsonObject()
                        .put("data-dir", directory.resolve("data").toString())
                        .put(
                                "database",
                                new JsonObject()
                                        .put(
                                                "url",
                                                "postgresql://" + at.user() + ":" + at.password() + "@" + at.host()
                                                        + ":" + at.port() + "/" + at.database()))
                        .put("embedding", new JsonObject().put("provider", "none")));
        HttpServer server =
                await(vertx.createHttpServer().requestHandler(gateway.router()).listen(0, "127.0.0.1"));
        port = server.actualPort();
        client = WebClient.create(vertx);
        line.environment.put("RECALLGATE_URL", "http://127.0.0.1:" + port);
        await(gateway.ready());
        await(client.post(port, "127.0.0.1", "/v1/memories")
                .sendJsonObject(new JsonObject().put("content", "The observatory stands on the hill")));
    }

    @AfterAll
    void stop() throws Exception {
        await(vertx.close());
        assertThat(postgres.stop()).isTrue();
    }

    @Test
    void theSameStateIsDegradedAlikeEverywhereAndCountedOnceEach() throws Exception {
        JsonObject request =
                new JsonObject().put("query", "where is the observatory?").put("limit", 3);

        HttpResponse<?> http =
                await(client.post(port, "127.0.0.1", "/v1/recall").sendJsonObject(request));
        JsonObject bus = await(vertx.eventBus()
                        .<JsonObject>request("recallgate.recall", request.copy().put("owner", "local")))
                .body();
        assertThat(line.run("recall", "where is the observatory?", "--limit", "3", "--json"))
                .isZero();
        JsonObject command = new JsonObject(line.out());

        assertThat(http.headers().get("x-recallgate-degraded")).isEqualTo("no-embedding-provider");
        Map<String, Object> expected = comparable(http.bodyAsJsonObject());
        assertThat(expected.get("degraded")).isEqualTo(Map.of("to", "lexical", "reason", "no-embedding-provider"));
        assertThat(comparable(bus)).isEqualTo(expected);
        assertThat(comparable(command)).isEqualTo(expected);

        // A degraded answer to a question about nothing is no knowledge gap; one by words alone is.
        JsonObject unknown = new JsonObject().put("query", "zeppelin");
        await(client.post(port, "127.0.0.1", "/v1/recall").sendJsonObject(unknown));
        await(client.post(port, "127.0.0.1", "/v1/recall")
                .sendJsonObject(unknown.copy().put("mode", "lexical")));

        Eventually.holds(
                "all are in the log",
                60,
                () -> modes().size() == 2 && modes().getJsonObject("hybrid").getInteger("n") == 4);
        JsonObject modes = modes();
        assertThat(modes.getJsonObject("hybrid").getJsonObject("degraded"))
                .isEqualTo(new JsonObject()
                        .put("n", 4)
                        .put("share", 1.0)
                        .put("reasons", new JsonObject().put("no-embedding-provider", 4)));
        assertThat(modes.getJsonObject("hybrid").getInteger("knowledge_gaps")).isZero();
        assertThat(modes.getJsonObject("lexical").getInteger("knowledge_gaps")).isEqualTo(1);
        assertThat(modes.getJsonObject("lexical").getJsonObject("degraded").getInteger("n"))
                .isZero();

        line.run("status");
        assertThat(line.out())
                .contains("hybrid in 24 h: 4, p50 ")
                .contains("100.0 % degraded")
                .contains("1 found nothing")
                .contains("advice: configure an embedding provider");
    }

    /** What must be equal: all but the id, the spans and what depends on when it was. */
    private static Map<String, Object> comparable(JsonObject answer) {
        Map<String, Object> all = new LinkedHashMap<>(new JsonObject(answer.encode()).getMap());
        assertThat(all.remove("recall_id")).isNotNull();
        assertThat(all.remove("timing_ms")).isNotNull();
        return all;
    }

    private JsonObject modes() {
        try {
            return await(client.get(port, "127.0.0.1", "/v1/recall/stats").send())
                    .bodyAsJsonObject()
                    .getJsonObject("modes");
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    private static <T> T await(Future<T> future) throws Exception {
        return future.toCompletionStage().toCompletableFuture().get(120, TimeUnit.SECONDS);
    }
}
