package io.recallgate.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.recallgate.embedding.remote.ScriptedProvider;
import io.recallgate.gateway.postgres.EmbeddedPostgres;
import io.recallgate.gateway.postgres.Eventually;
import io.recallgate.gateway.postgres.PostgresEndpoint;
import io.recallgate.gateway.postgres.PostgresOptions;
import io.recallgate.time.SystemClock;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.client.HttpResponse;
import io.vertx.ext.web.client.WebClient;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Both probes on a real database, before a remote provider that does what it likes (CONTRACTS D). */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(300)
class ProbesTest {

    private static final String OWN = "owner = 'recallgate:probes'";

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
        String url = "postgresql://" + at.user() + ":" + at.password() + "@" + at.host() + ":" + at.port() + "/"
                + at.database();
        RecallgateRouter gateway = RecallgateRouter.open(
                vertx,
                new JsonObject()
                        .put("data-dir", temporary.resolve("data").toString())
                        .put("database", new JsonObject().put("url", url))
                        .put(
                                "embedding",
                                new JsonObject()
                                        .put("provider", "openai")
                                        .put("url", provider.url().toString())
                                        .put("model", "scripted")
                                        .put("timeout-ms", 60_000)
                                        .put("breaker-expiries", 1_000))
                        // After the first attempts, which nobody asks for, there are those that a test asks for.
                        .put(
                                "probes",
                                new JsonObject().put("cadence-ms", 86_400_000).put("budget-ms", 60_000))
                        .put("jobs", new JsonObject().put("poll-ms", 50)));
        HttpServer server =
                await(vertx.createHttpServer().requestHandler(gateway.router()).listen(0, "127.0.0.1"));
        port = server.actualPort();
        client = WebClient.create(vertx);
        await(gateway.ready());
    }

    @AfterAll
    void stop() throws InterruptedException {
        await(vertx.close());
        provider.close();
        postgres.stop();
    }

    @BeforeEach
    void bothSucceed() throws InterruptedException {
        provider.release();
        provider.answers();
        budget(60_000);
        Eventually.holds(
                "both have had their first attempt",
                120,
                () -> result("embedding-write") != null && result("knowledge") != null);
        assertThat(run("embedding-write").getString("outcome")).isEqualTo("healthy");
        assertThat(run("knowledge").getString("outcome")).isEqualTo("healthy");
    }

    @Test
    void whatProbesWriteIsNobodysMemoryAndInNoCount() throws SQLException {
        JsonObject result = run("knowledge");
        assertThat(result.getString("mode")).isEqualTo("hybrid");
        assertThat(result.getBoolean("abandoned")).isFalse();

        assertThat(get("/v1/memories").getJsonArray("memories")).isEmpty();
        HttpResponse<Buffer> export =
                await(client.get(port, "127.0.0.1", "/v1/export").send());
        assertThat(export.statusCode()).isEqualTo(200);
        assertThat(String.valueOf(export.bodyAsString())).doesNotContain("seals");
        assertThat(get("/v1/jobs").getJsonObject("counts").stream()
                        .map(entry -> ((Number) entry.getValue()).intValue()))
                .containsOnly(0);
        assertThat(get("/v1/recall/stats").getJsonObject("modes").isEmpty()).isTrue();
        for (String mode : new String[] {"hybrid", "lexical", "strict"}) {
            JsonObject recalled = await(client.post(port, "127.0.0.1", "/v1/recall")
                            .sendJsonObject(
                                    new JsonObject().put("query", "grey seals").put("mode", mode)))
                    .bodyAsJsonObject();
            assertThat(recalled.getJsonArray("hits")).isEmpty();
        }
        assertThat(count("select count(*) from memory where " + OWN))
                .as("the known row alone")
                .isOne();
        assertThat(count("select count(*) from memory where pinned and " + OWN)).isOne();
        assertThat(count("select count(*) from embedding_job")).isZero();
        assertThat(count("select count(*) from recall_log where " + OWN)).isZero();
        assertThat(count("select count(*) from memory_access")).isZero();
    }

    @Test
    void readingStartsNothing() {
        int before = provider.count();
        JsonObject attempts = probe("knowledge").getJsonObject("counts");

        for (int i = 0; i < 50; i++) {
            get("/v1/probes");
            get("/health");
            get("/health/ready");
        }

        assertThat(provider.count()).isEqualTo(before);
        assertThat(probe("knowledge").getJsonObject("counts")).isEqualTo(attempts);
    }

    @Test
    void aProviderThatFailsDegradesHealthUntilAnAttemptSucceeds() {
        provider.fails(500, "server_error", "no");
        JsonObject write = run("embedding-write");
        JsonObject knowledge = run("knowledge");
        assertThat(write.getString("cause")).isEqualTo("embedding-failed");
        assertThat(knowledge.getString("cause")).isEqualTo("embedding-error");
        assertThat(knowledge.getString("mode")).isEqualTo("lexical");
        assertThat(probe("knowledge").getInteger("failures")).isEqualTo(1);

        HttpResponse<Buffer> ready =
                await(client.get(port, "127.0.0.1", "/health/ready").send());
        assertThat(ready.statusCode()).isEqualTo(200);
        assertThat(ready.bodyAsJsonObject().getString("status")).isEqualTo("degraded");
        JsonObject health = get("/health").getJsonObject("probes");
        assertThat(health.getString("status")).isEqualTo("degraded");
        assertThat(health.getJsonObject("embedding-write").getString("state")).isEqualTo("failed");

        provider.answers();
        run("embedding-write");
        run("knowledge");
        assertThat(get("/health").getString("status")).isEqualTo("ready");
    }

    @Test
    void d6WhetherTheProviderWorksOnIsToldByTheTransport() {
        budget(3_000);
        provider.stalls();
        JsonObject stalled = run("embedding-write");
        assertThat(stalled.getString("cause")).isEqualTo("deadline-exceeded");
        assertThat(stalled.getBoolean("abandoned")).isTrue();
        assertThat(stalled.getDouble("charged_ms") - stalled.getDouble("span_ms"))
                .isCloseTo(3_000, within(0.01));
        stalled = run("knowledge");
        assertThat(stalled.getBoolean("abandoned")).isTrue();

        provider.fails(500, "server_error", "no");
        JsonObject failed = run("embedding-write");
        assertThat(failed.getBoolean("abandoned")).isFalse();
        assertThat(failed.getDouble("charged_ms")).isEqualTo(failed.getDouble("span_ms"));
    }

    @Test
    void d10NothingIsBegunForACallerWhoWouldNotWaitForIt() {
        int before = provider.count();

        HttpResponse<Buffer> answer = await(client.post(port, "127.0.0.1", "/v1/probes/embedding-write/run")
                .putHeader("x-recallgate-deadline-ms", "50000")
                .send());

        assertThat(answer.statusCode()).isEqualTo(504);
        assertThat(answer.bodyAsJsonObject().getString("detail"))
                .contains("60000 ms")
                .contains("nothing was begun");
        assertThat(provider.count()).isEqualTo(before);
    }

    @Test
    void d12TwoWhoRunItAtTheSameTimeShareOneAttempt() throws InterruptedException {
        provider.stalls();
        int before = provider.count();
        Future<HttpResponse<Buffer>> one = post("embedding-write");
        Eventually.holds("it is on its way", 60, () -> provider.count() == before + 1);
        Future<HttpResponse<Buffer>> two = post("embedding-write");
        Eventually.holds("both wait", 60, () -> probe("embedding-write").getInteger("waiting") == 2);
        assertThat(provider.count()).isEqualTo(before + 1);
        provider.release();
        provider.answers();

        int attempt = await(one).bodyAsJsonObject().getInteger("attempt");
        assertThat(await(two).bodyAsJsonObject().getInteger("attempt")).isEqualTo(attempt);
    }

    @Test
    void theKnownRowIsEmbeddedAnewWhenItsVectorIsOfAnotherModelOrItIsGone() throws SQLException {
        execute("update memory_vector set fingerprint = 'another model' where " + OWN);
        assertThat(run("knowledge").getString("outcome")).isEqualTo("healthy");
        assertThat(count("select count(*) from memory_vector where fingerprint <> 'another model' and " + OWN))
                .isOne();

        execute("delete from memory where " + OWN);
        assertThat(run("knowledge").getString("outcome")).isEqualTo("healthy");
    }

    @Test
    void whatAnAttemptLeftBehindIsRemovedByALaterOne() throws SQLException {
        execute("insert into memory (id, owner, project, kind, content, content_hash, words, word_count, created_at)"
                + " values (gen_random_uuid(), 'recallgate:probes', 'embedding-write', 'note', 'x', sha256('x'), '', 0,"
                + " now() - interval '1 day')");

        assertThat(run("embedding-write").getString("outcome")).isEqualTo("healthy");

        assertThat(count("select count(*) from memory where project = 'embedding-write' and " + OWN))
                .isZero();
    }

    @Test
    void aProbeThatDoesNotExistIsA404ThatNamesThoseThatDo() {
        HttpResponse<Buffer> answer = await(post("nope"));

        assertThat(answer.statusCode()).isEqualTo(404);
        assertThat(answer.bodyAsJsonObject().getString("field")).isEqualTo("name");
        assertThat(answer.bodyAsJsonObject().getString("detail")).contains("embedding-write, knowledge");
    }

    private JsonObject run(String name) {
        HttpResponse<Buffer> answer = await(post(name));
        assertThat(answer.statusCode()).as(answer.bodyAsString()).isEqualTo(200);
        return answer.bodyAsJsonObject();
    }

    private Future<HttpResponse<Buffer>> post(String name) {
        return client.post(port, "127.0.0.1", "/v1/probes/" + name + "/run").send();
    }

    private JsonObject probe(String name) {
        JsonArray probes = get("/v1/probes").getJsonArray("probes");
        return probes.stream()
                .map(JsonObject.class::cast)
                .filter(each -> each.getString("name").equals(name))
                .findFirst()
                .orElseThrow();
    }

    private Object result(String name) {
        return probe(name).getValue("result");
    }

    private JsonObject get(String path) {
        return await(client.get(port, "127.0.0.1", path).send()).bodyAsJsonObject();
    }

    private void budget(long millis) {
        HttpResponse<Buffer> answer = await(client.patch(port, "127.0.0.1", "/v1/settings")
                .sendJsonObject(new JsonObject().put("RECALLGATE_PROBE_BUDGET_MS", millis)));
        assertThat(answer.statusCode()).as(answer.bodyAsString()).isEqualTo(200);
    }

    private Connection connection() throws SQLException {
        PostgresEndpoint at = postgres.endpoint();
        return DriverManager.getConnection(
                "jdbc:postgresql://" + at.host() + ":" + at.port() + "/" + at.database(), at.user(), at.password());
    }

    private void execute(String sql) throws SQLException {
        try (Connection connection = connection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private long count(String sql) throws SQLException {
        try (Connection connection = connection();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            rows.next();
            return rows.getLong(1);
        }
    }

    private static <T> T await(Future<T> future) {
        try {
            return future.await(120, TimeUnit.SECONDS);
        } catch (java.util.concurrent.TimeoutException e) {
            throw new AssertionError("not within two minutes", e);
        }
    }
}
