package io.recallgate.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.recallgate.embedding.WrittenLog;
import io.recallgate.embedding.remote.ScriptedProvider;
import io.recallgate.gateway.postgres.EmbeddedPostgres;
import io.recallgate.gateway.postgres.Eventually;
import io.recallgate.gateway.postgres.PostgresEndpoint;
import io.recallgate.gateway.postgres.PostgresOptions;
import io.recallgate.time.SystemClock;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.client.HttpResponse;
import io.vertx.ext.web.client.WebClient;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Recall over HTTP and the event bus before a remote provider that does what it likes (CONTRACTS C). */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(300)
class RemoteProviderRecallTest {

    private static final String KEY = "sk-hunter2";
    private static final String QUERY = "where is the observatory";

    private final ScriptedProvider provider = ScriptedProvider.start(16);
    private EmbeddedPostgres postgres;
    private Vertx vertx;
    private WebClient client;
    private int port;

    @BeforeAll
    void start(@TempDir Path temporary) throws Exception {
        postgres = EmbeddedPostgres.start(PostgresOptions.of(temporary.resolve("database")), SystemClock.INSTANCE);
        PostgresEndpoint at = postgres.endpoint();
        vertx = Vertx.vertx();
        RecallgateRouter gateway = RecallgateRouter.open(
                vertx,
                new JsonObject()
                        .put("data-dir", temporary.resolve("data").toString())
                        .put(
                                "database",
                                new JsonObject()
                                        .put(
                                                "url",
                                                "postgresql://" + at.user() + ":" + at.password() + "@" + at.host()
                                                        + ":" + at.port() + "/" + at.database()))
                        .put(
                                "embedding",
                                new JsonObject()
                                        .put("provider", "openai")
                                        .put("url", provider.url().toString())
                                        .put("api-key", KEY)
                                        .put("model", "scripted")
                                        .put("cancels-on-disconnect", "true")
                                        .put("breaker-backoff-ms", 200)
                                        .put("breaker-backoff-max-ms", 400))
                        // What reaches the provider is counted.
                        .put("probes", new JsonObject().put("cadence-ms", 0))
                        .put("jobs", new JsonObject().put("poll-ms", 50).put("backoff-base-ms", 50)));
        HttpServer server =
                await(vertx.createHttpServer().requestHandler(gateway.router()).listen(0, "127.0.0.1"));
        port = server.actualPort();
        client = WebClient.create(vertx);
        await(gateway.ready());
        remember("the observatory is on the hill");
    }

    @AfterAll
    void stop() throws InterruptedException {
        await(vertx.close());
        provider.close();
        postgres.stop();
    }

    @BeforeEach
    void everythingWorks() throws InterruptedException {
        provider.answers();
        limit(30_000);
        Eventually.holds("recall has vectors", 120, this::hasVectors);
    }

    @Test
    void c1AStallIsReachedAndIsAnsweredByWordsWithItsReasonC3AndALimitThatChangedAppliesToTheNextCall() {
        provider.stalls();
        limit(6_000);
        long before = provider.count(QUERY);
        HttpResponse<Buffer> answer = recall(QUERY);
        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.getHeader("x-recallgate-degraded")).isEqualTo("embedding-timeout");
        JsonObject body = answer.bodyAsJsonObject();
        assertThat(body.getJsonObject("degraded"))
                .isEqualTo(new JsonObject().put("to", "lexical").put("reason", "embedding-timeout"));
        assertThat(body.getJsonArray("hits")).isNotEmpty();
        assertThat(waited(body)).isGreaterThan(5_500);
        assertThat(provider.count(QUERY)).isEqualTo(before + 1);

        // A longer one: no machine is too slow for that, and the provider is asked before it passes.
        limit(6_000);
        body = recall(QUERY).bodyAsJsonObject();
        assertThat(reason(body)).isEqualTo("embedding-timeout");
        assertThat(waited(body)).isGreaterThan(5_500);
        assertThat(provider.count(QUERY))
                .as("and nothing is tried again behind it")
                .isEqualTo(before + 2);
    }

    @Test
    void c4EachTroubleHasItsReasonOneLineAndTheSameEnvelopeOverHttpAndBus() {
        troubleIs("embedding-error", () -> provider.fails(500, "server_error", "no"));
        troubleIs("embedding-overloaded", () -> provider.fails(429, "rate_limit_exceeded", "later"));
        troubleIs("dimension-mismatch", () -> provider.answersWithDimensions(7));
        troubleIs("embedding-error", () -> provider.answersWithCountOff(1));
        troubleIs("embedding-error", provider::dropsMidBody);
        troubleIs("embedding-error", () -> provider.answersWithPadding(1 << 20));
        troubleIs("embedding-unavailable", provider::refuses);
        provider.recovers();
        limit(100);
        troubleIs("embedding-timeout", provider::stalls);
    }

    private void troubleIs(String reason, Runnable trouble) {
        trouble.run();
        JsonObject http;
        JsonObject bus;
        try (WrittenLog log = WrittenLog.of("io.recallgate.recall.search.Recaller");
                WrittenLog driver = WrittenLog.of("io.recallgate.embedding.remote.RemoteDriver")) {
            http = recall(QUERY).bodyAsJsonObject();
            bus = await(vertx.eventBus()
                            .<JsonObject>request(
                                    "recallgate.recall",
                                    new JsonObject()
                                            .put("query", QUERY)
                                            .put("memo", false)
                                            .put("owner", "local")))
                    .body();
            assertThat(log.warnings()).hasSize(2).allMatch(line -> line.contains(reason) && !line.contains(QUERY));
            assertThat(driver.warnings()).isEmpty();
        }
        assertThat(reason(http)).isEqualTo(reason);
        assertThat(reason(bus)).isEqualTo(reason);
        assertThat(bus.fieldNames()).isEqualTo(http.fieldNames());
        assertThat(bus.getJsonArray("hits"))
                .isEqualTo(http.getJsonArray("hits"))
                .isNotEmpty();
    }

    @Test
    void c5AskingForWordsIsNoDegradationAndAsksNobody() {
        provider.stalls();
        // Words of its own: what another test has left behind may still be asked for.
        String query = QUERY + " by its words alone";
        JsonObject body = post(
                        "/v1/recall", new JsonObject().put("query", query).put("mode", "lexical"))
                .bodyAsJsonObject();
        assertThat(body.getValue("degraded")).isNull();
        assertThat(provider.asked).noneMatch(request -> request.texts().contains(query));
    }

    @Test
    void c10AfterThreeStallsNobodyWaitsAndC9VectorsAreBackByThemselves() throws InterruptedException {
        provider.stalls();
        limit(100);
        for (int i = 0; i < 3; i++) {
            assertThat(reason(recall(QUERY).bodyAsJsonObject())).isEqualTo("embedding-timeout");
        }
        long before = provider.count(QUERY);
        limit(30_000);
        // Within the back-off it is refused; one that comes after it probes, and is refused by nobody.
        JsonObject body = recall(QUERY, 1_000).bodyAsJsonObject();
        assertThat(reason(body)).isIn("embedding-circuit-open", "deadline-exhausted");
        assertThat(provider.count(QUERY) - before).isLessThanOrEqualTo(1);
        JsonObject breaker = get("/v1/workers").getJsonObject("breaker");
        assertThat(breaker.getString("state")).isIn("open", "half-open");
        assertThat(get("/health").getJsonObject("embedding").getString("status"))
                .isEqualTo("degraded");
        provider.answers();
        provider.release();
        Eventually.holds("vectors are back", 120, this::hasVectors);
        assertThat(get("/v1/workers").getJsonObject("breaker").getString("state"))
                .isEqualTo("closed");
    }

    @Test
    void c12WhatIsWrittenWhileEmbeddingsAreDownIsFoundAtOnceByWordsAndLaterByMeaning() throws InterruptedException {
        provider.refuses();
        remember("a zeppelin landed beside the lighthouse");
        JsonObject body = recall("zeppelin").bodyAsJsonObject();
        // The latter if a connection of before is found closed only by the request on it.
        assertThat(reason(body)).isIn("embedding-unavailable", "embedding-error");
        assertThat(body.getJsonArray("hits")).hasSize(1);
        provider.recovers();
        Eventually.holds("its vector is there", 120, () -> {
            JsonObject now = recall("zeppelin").bodyAsJsonObject();
            return now.getValue("degraded") == null
                    && now.getDouble("vector_coverage") == 1.0
                    && now.getJsonArray("hits")
                                    .getJsonObject(0)
                                    .getJsonObject("ranks")
                                    .getValue("vector")
                            != null;
        });
    }

    @Test
    void theEmbeddingsRouteServesTheProvidersModelAndTroubleInItsDialect() {
        JsonObject request = new JsonObject()
                .put("model", "scripted")
                .put("input", new JsonArray().add("a").add("b"));
        HttpResponse<Buffer> answer = post("/v1/embeddings", request);
        assertThat(answer.statusCode()).as(answer.bodyAsString()).isEqualTo(200);
        assertThat(answer.bodyAsJsonObject().getJsonArray("data")).hasSize(2);
        assertThat(answer.bodyAsJsonObject().getJsonObject("usage").getInteger("prompt_tokens"))
                .isEqualTo(14);
        provider.fails(500, "server_error", "no");
        HttpResponse<Buffer> failed = post("/v1/embeddings", request);
        assertThat(failed.statusCode()).isEqualTo(502);
        assertThat(failed.bodyAsJsonObject().getJsonObject("error").getString("code"))
                .isEqualTo("embedding_failed");
    }

    @Test
    void operatorsSeeTheProviderAndNobodySeesItsKey() {
        JsonObject workers = get("/v1/workers");
        assertThat(workers.getString("provider")).isEqualTo("openai");
        assertThat(workers.getJsonObject("model").getInteger("dimensions")).isEqualTo(16);
        assertThat(workers.getJsonObject("breaker").getLong("state_age_ms")).isNotNegative();
        String metrics = await(client.request(HttpMethod.GET, port, "127.0.0.1", "/metrics")
                        .send())
                .bodyAsString();
        assertThat(metrics)
                .contains("recallgate_embedding_breaker{state=\"closed\"} 1.0")
                .contains("recallgate_embedding_attempts_seconds_count{kind=\"query\",outcome=\"ok\"}");
        assertThat(provider.asked.get(0).authorization()).isEqualTo("Bearer " + KEY);
        assertThat(metrics
                        + workers.encode()
                        + get("/health").encode()
                        + get("/v1/settings").encode())
                .doesNotContain(KEY);
    }

    private boolean hasVectors() {
        JsonObject body = recall(QUERY).bodyAsJsonObject();
        return body.getValue("degraded") == null && Double.valueOf(1).equals(body.getDouble("vector_coverage"));
    }

    private static String reason(JsonObject envelope) {
        return envelope.getJsonObject("degraded", new JsonObject()).getString("reason");
    }

    private static double waited(JsonObject envelope) {
        return envelope.getJsonObject("timing_ms").getDouble("embedding");
    }

    private void limit(long millis) {
        HttpResponse<Buffer> set = await(client.request(HttpMethod.PATCH, port, "127.0.0.1", "/v1/settings")
                .sendJsonObject(new JsonObject().put("EMBEDDING_TIMEOUT_MS", millis)));
        assertThat(set.statusCode()).isEqualTo(200);
    }

    private void remember(String content) {
        HttpResponse<Buffer> stored = post("/v1/memories", new JsonObject().put("content", content));
        assertThat(stored.statusCode()).as(stored.bodyAsString()).isEqualTo(202);
    }

    private HttpResponse<Buffer> recall(String query) {
        return post("/v1/recall", new JsonObject().put("query", query).put("memo", false));
    }

    private HttpResponse<Buffer> recall(String query, long deadlineMillis) {
        return post(
                "/v1/recall",
                new JsonObject().put("query", query).put("memo", false).put("deadline_ms", deadlineMillis));
    }

    private HttpResponse<Buffer> post(String path, JsonObject body) {
        return await(client.request(HttpMethod.POST, port, "127.0.0.1", path).sendJsonObject(body));
    }

    private JsonObject get(String path) {
        return await(client.request(HttpMethod.GET, port, "127.0.0.1", path).send())
                .bodyAsJsonObject();
    }

    private static <T> T await(Future<T> future) {
        try {
            return future.toCompletionStage().toCompletableFuture().get(120, TimeUnit.SECONDS);
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }
}
