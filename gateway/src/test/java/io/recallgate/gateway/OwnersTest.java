package io.recallgate.gateway;

import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;

import io.recallgate.gateway.postgres.EmbeddedPostgres;
import io.recallgate.gateway.postgres.PostgresEndpoint;
import io.recallgate.gateway.postgres.PostgresOptions;
import io.recallgate.recall.database.DatabaseOptions;
import io.recallgate.recall.database.JdbcSource;
import io.recallgate.time.SystemClock;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServer;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.client.HttpRequest;
import io.vertx.ext.web.client.HttpResponse;
import io.vertx.ext.web.client.WebClient;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Two owners on one gateway and one real database: what is another's looks on every route like what is not there. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(120)
class OwnersTest {

    private static final String UNKNOWN = "01890000-0000-7000-8000-000000000000";

    private Vertx vertx;
    private EmbeddedPostgres postgres;
    private String url;
    private WebClient client;
    private int port;
    private String alices;
    private String bobs;
    private String alicesInAtlas;

    @BeforeAll
    void start(@TempDir Path directory) throws Exception {
        vertx = Vertx.vertx();
        postgres = EmbeddedPostgres.start(PostgresOptions.of(directory.resolve("database")), SystemClock.INSTANCE);
        PostgresEndpoint at = postgres.endpoint();
        url = "postgresql://" + at.user() + ":" + at.password() + "@" + at.host() + ":" + at.port() + "/"
                + at.database();
        StringBuilder keys = new StringBuilder("keys:\n");
        for (String owner : List.of("alice", "bob")) {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(owner.getBytes(StandardCharsets.UTF_8));
            keys.append("  - {sha256: ")
                    .append(HexFormat.of().formatHex(hash))
                    .append(", owner: ")
                    .append(owner)
                    .append(", rights: [read, write, admin]}\n");
        }
        Path file = Files.writeString(directory.resolve("keys.yaml"), keys);
        RecallgateRouter gateway = RecallgateRouter.open(
                vertx,
                new JsonObject()
                        .put("data-dir", directory.resolve("data").toString())
                        .put("database", new JsonObject().put("url", url))
                        .put("embedding", new JsonObject().put("provider", "none"))
                        .put("http", new JsonObject().put("api-keys-file", file.toString())));
        HttpServer server =
                await(vertx.createHttpServer().requestHandler(gateway.router()).listen(0, "127.0.0.1"));
        port = server.actualPort();
        client = WebClient.create(vertx);
        await(gateway.ready());
        alices = remember("alice", "", "Alice likes the colour green");
        remember("alice", "", "Alice has a second memory");
        bobs = remember("bob", "", "Bob likes the colour blue");
        alicesInAtlas = remember("alice", "atlas", "Atlas ships in June");
    }

    @AfterAll
    void stop() throws InterruptedException {
        await(vertx.close());
        assertThat(postgres.stop()).isTrue();
    }

    @Test
    void anIdOfAnotherOwnerOrProjectIsAnsweredAsOneThatDoesNotExist() {
        for (HttpMethod method : List.of(HttpMethod.GET, HttpMethod.PATCH, HttpMethod.DELETE)) {
            JsonObject body = method.equals(HttpMethod.PATCH) ? new JsonObject().put("pinned", true) : null;
            String unknown = problem(call("bob", "", method, "/v1/memories/" + UNKNOWN, body));
            for (String id : List.of(alices, alicesInAtlas)) {
                assertThat(problem(call("bob", "", method, "/v1/memories/" + id, body)))
                        .as(method.name())
                        .isEqualTo(unknown);
            }
            assertThat(problem(call("alice", "", method, "/v1/memories/" + alicesInAtlas, body)))
                    .isEqualTo(unknown);
        }
        assertThat(call("alice", "", HttpMethod.GET, "/v1/memories/" + alices, null)
                        .bodyAsJsonObject()
                        .getBoolean("pinned"))
                .isFalse();
    }

    @Test
    void theAnswerIsTheSameByteForByteOnceTheOtherOwnersMemoryIsGone() {
        String id = remember("alice", "", "Alice will think better of this");
        List<String> there = refusals(id);
        assertThat(call("alice", "", HttpMethod.DELETE, "/v1/memories/" + id, null)
                        .statusCode())
                .isEqualTo(204);

        assertThat(refusals(id)).isEqualTo(there);
    }

    private List<String> refusals(String id) {
        String path = "/v1/memories/" + id;
        return List.of(
                problem(call("bob", "", HttpMethod.GET, path, null)),
                problem(call("bob", "", HttpMethod.PATCH, path, new JsonObject().put("pinned", true))),
                problem(call("bob", "", HttpMethod.DELETE, path, null)));
    }

    @Test
    void aCursorOfAnotherOwnerShowsOnlyOnesOwn() {
        String cursor = call("alice", "", HttpMethod.GET, "/v1/memories?limit=1", null)
                .bodyAsJsonObject()
                .getString("next_cursor");
        assertThat(cursor).isNotNull();

        HttpResponse<Buffer> page = call("bob", "", HttpMethod.GET, "/v1/memories?cursor=" + cursor, null);

        assertThat(page.statusCode()).isEqualTo(200);
        assertThat(page.bodyAsString()).doesNotContain("Alice").doesNotContain(alices);
    }

    @Test
    void listsRecallsAndExportsHaveOnesOwnMemoriesAlone() {
        assertThat(call("bob", "", HttpMethod.GET, "/v1/memories", null).bodyAsString())
                .contains(bobs)
                .doesNotContain(alices, "Alice");
        for (String mode : List.of("lexical", "strict", "hybrid")) {
            JsonObject query = new JsonObject().put("query", "colour").put("mode", mode);
            assertThat(call("bob", "", HttpMethod.POST, "/v1/recall", query).bodyAsString())
                    .contains("blue")
                    .doesNotContain("green");
        }
        assertThat(call("bob", "", HttpMethod.GET, "/v1/export", null).bodyAsString())
                .contains("blue")
                .doesNotContain("green", "Atlas");
    }

    @Test
    void aSessionOfAnotherOwnerIsAnsweredAsOneThatDoesNotExist() {
        for (String path : List.of("/v1/memories?session=", "/v1/export?session=")) {
            assertThat(call("bob", "", HttpMethod.GET, path + "s-alice", null).bodyAsString())
                    .isEqualTo(call("bob", "", HttpMethod.GET, path + "nowhere", null)
                            .bodyAsString());
        }
        assertThat(call("bob", "", HttpMethod.DELETE, "/v1/memories?session=s-alice", null)
                        .bodyAsString())
                .isEqualTo("{\"deleted\":0}")
                .isEqualTo(call("bob", "", HttpMethod.DELETE, "/v1/memories?session=nowhere", null)
                        .bodyAsString());
        assertThat(call("alice", "", HttpMethod.GET, "/v1/memories?session=s-alice", null)
                        .bodyAsString())
                .contains(alices);
    }

    @Test
    void jobsAreCountedAndRetriedForTheirOwnerAlone() throws SQLException {
        assertThat(call("bob", "", HttpMethod.GET, "/v1/jobs", null)
                        .bodyAsJsonObject()
                        .getJsonObject("counts")
                        .getLong("available"))
                .isEqualTo(1);
        execute("update embedding_job set state = 'running', attempt = 1, leased_by = 'x', lease_until = now()"
                + " where memory_id = '" + alicesInAtlas
                + "'; update embedding_job set state = 'failed', leased_by = null,"
                + " lease_until = null, finished_at = now() where memory_id = '" + alicesInAtlas + "'");

        assertThat(call("bob", "atlas", HttpMethod.POST, "/v1/jobs/retry", null).bodyAsString())
                .isEqualTo("{\"retried\":0}");
        assertThat(call("alice", "", HttpMethod.POST, "/v1/jobs/retry", null).bodyAsString())
                .isEqualTo("{\"retried\":0}");
        assertThat(call("alice", "atlas", HttpMethod.POST, "/v1/jobs/retry", null)
                        .bodyAsString())
                .isEqualTo("{\"retried\":1}");
    }

    @Test
    void anExternalIdOfAnotherOwnerIsFreeToUse() {
        JsonObject memory = new JsonObject().put("content", "Mine").put("external_id", "alice likes the colour green");
        HttpResponse<Buffer> stored = call("bob", "elsewhere", HttpMethod.POST, "/v1/memories", memory);

        assertThat(stored.statusCode()).isEqualTo(202);
        assertThat(stored.bodyAsString()).doesNotContain(alices);
    }

    private void execute(String sql) throws SQLException {
        try (Connection connection = JdbcSource.of(DatabaseOptions.parse(url)).getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private String remember(String owner, String project, String content) {
        JsonObject memory = new JsonObject()
                .put("content", content)
                .put("session", "s-" + owner)
                .put("external_id", content.toLowerCase(java.util.Locale.ROOT));
        return call(owner, project, HttpMethod.POST, "/v1/memories", memory)
                .bodyAsJsonObject()
                .getJsonArray("memories")
                .getJsonObject(0)
                .getString("id");
    }

    /** Everything the caller gets but for the id of the request, which no two share. */
    private static String problem(HttpResponse<Buffer> response) {
        assertThat(response.statusCode()).isEqualTo(404);
        String headers = response.headers().entries().stream()
                .map(header -> header.getKey() + ": " + header.getValue() + "\n")
                .collect(joining());
        return (response.version() + " 404 " + response.statusMessage() + "\n" + headers + response.bodyAsString())
                .replace(response.getHeader("x-request-id"), "REQUEST");
    }

    private HttpResponse<Buffer> call(
            String owner, String project, HttpMethod method, String path, @Nullable JsonObject body) {
        HttpRequest<Buffer> request = client.request(method, port, "127.0.0.1", path)
                .putHeader("x-recallgate-key", owner)
                .putHeader("x-recallgate-project", project);
        return await(body == null ? request.send() : request.sendJsonObject(body));
    }

    private static <T> T await(Future<T> future) {
        try {
            return future.await(60, TimeUnit.SECONDS);
        } catch (java.util.concurrent.TimeoutException e) {
            throw new AssertionError("not within a minute", e);
        }
    }
}
