package io.recallgate.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.recallgate.embedding.api.EmbedInput;
import io.recallgate.embedding.api.EmbedRequest;
import io.recallgate.embedding.api.EmbedResult;
import io.recallgate.embedding.api.EmbeddingVector;
import io.recallgate.embedding.api.InputType;
import io.recallgate.embedding.api.Priority;
import io.recallgate.embedding.bus.EmbeddingClient;
import io.recallgate.gateway.postgres.EmbeddedPostgres;
import io.recallgate.gateway.postgres.Eventually;
import io.recallgate.gateway.postgres.PostgresEndpoint;
import io.recallgate.gateway.postgres.PostgresOptions;
import io.recallgate.time.CancelSignal;
import io.recallgate.time.Deadline;
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
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.pgclient.PgConnection;
import io.vertx.sqlclient.Transaction;
import io.vertx.sqlclient.Tuple;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** One real model after another over HTTP, while the gateway is at work (CONTRACTS A20). */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(600)
class ModelReplacementTest {

    private static final String BUNDLED = "e5-small-v2-q";
    private static final int SHORT_MEMORIES = 60;
    private static final List<String> TEXTS = List.of("a cat on the piano", "the invoice of March", "祖母は京都に住んでいます");

    private final List<JsonObject> events = new CopyOnWriteArrayList<>();
    private final AtomicInteger requests = new AtomicInteger();
    private Path directory;
    private EmbeddedPostgres postgres;
    private Vertx vertx;
    private WebClient client;
    private EmbeddingClient embedder;
    private PgConnection database;
    private int port;

    @BeforeAll
    void start(@TempDir Path temporary) throws Exception {
        directory = temporary;
        postgres = EmbeddedPostgres.start(PostgresOptions.of(temporary.resolve("database")), SystemClock.INSTANCE);
        PostgresEndpoint at = postgres.endpoint();
        vertx = Vertx.vertx();
        database = await(PgConnection.connect(
                vertx,
                new PgConnectOptions()
                        .setHost(at.host())
                        .setPort(at.port())
                        .setDatabase(at.database())
                        .setUser(at.user())
                        .setPassword(at.password())));
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
                        .put("embedding", new JsonObject().put("workers", 2))
                        // Vectors and work of the pool are counted.
                        .put("probes", new JsonObject().put("cadence-ms", 0))
                        // Upkeep has a round at each third of the lease.
                        .put("jobs", new JsonObject().put("lease-ms", 1_500).put("other-models-keep-ms", 0)));
        HttpServer server =
                await(vertx.createHttpServer().requestHandler(gateway.router()).listen(0, "127.0.0.1"));
        port = server.actualPort();
        client = WebClient.create(vertx);
        embedder = new EmbeddingClient(vertx);
        vertx.eventBus().<JsonObject>consumer("recallgate.events", event -> events.add(event.body()));
        await(gateway.ready());
    }

    @AfterAll
    void stop() throws InterruptedException {
        await(vertx.close());
        postgres.stop();
    }

    @Test
    void a20EverythingIsEmbeddedAgainAndNothingOfTheOldModelPassesForTheNew() throws Exception {
        remember();
        Eventually.holds("all is embedded", 60, () -> remaining() == 0);
        String old = fingerprint();
        int passages = passages();
        assertThat(passages).as("of the long memory").isGreaterThan(2);
        assertThat(vectors(old)).isEqualTo(SHORT_MEMORIES + passages);
        List<EmbeddingVector> oldVectors = vectorsOf(TEXTS).vectors();

        badModelsChangeNothing(old);
        Path other = otherModel();
        AtomicBoolean over = new AtomicBoolean();
        List<EmbedResult> answers = new CopyOnWriteArrayList<>();
        List<Throwable> failures = new CopyOnWriteArrayList<>();
        for (int i = 0; i < 3; i++) {
            keepEmbedding(over, answers, failures);
        }
        Eventually.holds("there is load", 30, () -> answers.size() > 3);

        HttpResponse<Buffer> accepted = replaceBy(other.toString());
        assertThat(accepted.statusCode()).as(accepted.bodyAsString()).isEqualTo(202);
        JsonObject answer = accepted.bodyAsJsonObject();
        assertThat(answer.getJsonObject("model"))
                .isEqualTo(new JsonObject().put("from", BUNDLED).put("to", other.toString()));
        assertThat(answer.getString("state")).isEqualTo("draining");
        assertThat(answer.getJsonArray("slots")).hasSize(2);
        assertThat(workers().getJsonObject("replacement").getString("to")).isEqualTo(other.toString());

        Eventually.holds("the new model serves", 60, () -> workers().getJsonObject("replacement") == null);
        String fresh = fingerprint();
        assertThat(fresh).isNotEqualTo(old);
        Eventually.holds("all is embedded again", 60, () -> remaining() == 0);
        over.set(true);
        Eventually.holds("the old vectors are gone", 60, () -> vectors(old) == 0);

        assertThat(passages()).isEqualTo(passages);
        assertThat(vectors(fresh)).isEqualTo(SHORT_MEMORIES + passages);
        assertThat(failures).isEmpty();
        JsonObject recalled = recall();
        assertThat(recalled.getValue("degraded")).as(recalled.encode()).isNull();
        assertThat(recalled.getDouble("vector_coverage")).isEqualTo(1.0);
        assertThat(recalled.getJsonArray("hits")).isNotEmpty();
        assertThat(health().getString("model")).isEqualTo(other.toString());
        assertThat(health().getString("fingerprint")).isEqualTo(fresh);
        assertThat(events)
                .contains(new JsonObject()
                        .put("type", "model-replaced")
                        .put("from", BUNDLED)
                        .put("to", other.toString()));

        List<EmbeddingVector> newVectors = vectorsOf(TEXTS).vectors();
        assertThat(oldVectors.get(0).dot(newVectors.get(0)))
                .as("the models differ")
                .isLessThan(0.999);
        assertThat(answers).anyMatch(result -> result.model().fingerprint().equals(old));
        assertThat(answers).anyMatch(result -> result.model().fingerprint().equals(fresh));
        for (EmbedResult result : answers) {
            List<EmbeddingVector> expected = result.model().fingerprint().equals(old) ? oldVectors : newVectors;
            for (int i = 0; i < TEXTS.size(); i++) {
                assertThat(result.vectors().get(i).dot(expected.get(i)))
                        .as("its own model's vector")
                        .isGreaterThan(0.9999);
            }
        }

        assertThat(replaceBy(other.toString()).bodyAsJsonObject().getString("state"))
                .isEqualTo("unchanged");
        goBack(old, passages);
    }

    /** What was removed is embedded again; until the first is, recall says that no vector fits. */
    private void goBack(String old, int passages) throws InterruptedException {
        // Nothing is embedded for as long as no job can be claimed.
        Transaction holdJobs = await(database.begin());
        await(database.query("lock table embedding_job in exclusive mode").execute());
        assertThat(replaceBy(BUNDLED).statusCode()).isEqualTo(202);
        Eventually.holds("the first model serves again", 60, () -> workers().getJsonObject("replacement") == null);
        // A question that was asked before is answered with its vector of the model before until the change is known
        // here.
        Eventually.holds("recall knows of it", 30, () -> recall().getValue("degraded") != null);
        JsonObject unmatched = recall();
        assertThat(unmatched.getValue("degraded"))
                .as(unmatched.encode())
                .isEqualTo(new JsonObject().put("to", "lexical").put("reason", "model-mismatch"));
        assertThat(unmatched.getJsonArray("hits")).as("by words").isNotEmpty();
        await(holdJobs.rollback());
        Eventually.holds(
                "all is embedded once more",
                60,
                () -> vectors(old) == SHORT_MEMORIES + passages && passages() == passages && remaining() == 0);
        Eventually.holds("coverage is whole", 30, () -> recall().getDouble("vector_coverage", 0.0) == 1);
    }

    private void badModelsChangeNothing(String serving) throws IOException {
        Path empty = Files.createDirectories(directory.resolve("empty"));
        Path damaged = otherModel("damaged", "other: ");
        Files.writeString(damaged.resolve("tokenizer.json"), "{}");
        for (Path bad : List.of(directory.resolve("nowhere"), empty, damaged)) {
            HttpResponse<Buffer> refused = replaceBy(bad.toString());
            assertThat(refused.statusCode()).as(refused.bodyAsString()).isEqualTo(400);
            assertThat(refused.bodyAsJsonObject().getString("field")).isEqualTo("model");
        }
        assertThat(fingerprint()).isEqualTo(serving);
        assertThat(workers().getJsonObject("replacement")).isNull();
        assertThat(workers().getJsonArray("slots").stream().map(slot -> ((JsonObject) slot).getInteger("generation")))
                .containsOnly(1);
    }

    private Path otherModel() throws IOException {
        return otherModel("other", "other: ");
    }

    /** The bundled model's files with another prefix for documents: other vectors, and so another fingerprint. */
    private Path otherModel(String name, String prefix) throws IOException {
        Path target = Files.createDirectories(directory.resolve(name));
        for (String file : List.of("model.onnx", "tokenizer.json")) {
            Files.copy(
                    directory.resolve("data").resolve("models").resolve(BUNDLED).resolve(file), target.resolve(file));
        }
        String descriptor = "models/" + BUNDLED + "/recallgate-model.yaml";
        try (InputStream in = ModelReplacementTest.class.getClassLoader().getResourceAsStream(descriptor)) {
            String text = new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8);
            Files.writeString(
                    target.resolve("recallgate-model.yaml"),
                    text.replace("name: " + BUNDLED, "name: " + name)
                            .replace("document_prefix: \"passage: \"", "document_prefix: \"" + prefix + "\""));
        }
        return target;
    }

    private void keepEmbedding(AtomicBoolean over, List<EmbedResult> answers, List<Throwable> failures) {
        if (!over.get()) {
            embedder.embed(request(TEXTS))
                    .onSuccess(answers::add)
                    .onFailure(failures::add)
                    .onComplete(done -> keepEmbedding(over, answers, failures));
        }
    }

    private EmbedResult vectorsOf(List<String> texts) {
        return await(embedder.embed(request(texts)));
    }

    private EmbedRequest request(List<String> texts) {
        return new EmbedRequest(
                "load-" + requests.incrementAndGet(),
                texts.stream().<EmbedInput>map(EmbedInput.Text::new).toList(),
                InputType.DOCUMENT,
                Priority.DOCUMENT,
                Deadline.afterMillis(SystemClock.INSTANCE, 60_000),
                new CancelSignal());
    }

    private void remember() {
        JsonArray memories = new JsonArray();
        for (int i = 0; i < SHORT_MEMORIES; i++) {
            memories.add(new JsonObject().put("content", "Note " + i + ": our cat Minou sleeps on piano number " + i));
        }
        memories.add(new JsonObject()
                .put("session", "long")
                .put(
                        "content",
                        "The committee moved the budget to the next quarter, since invoices were late. ".repeat(100)));
        assertThat(call(HttpMethod.POST, "/v1/memories", new JsonObject().put("memories", memories))
                        .statusCode())
                .isEqualTo(202);
    }

    /** How many the long memory is embedded in, as its readers see it. */
    private int passages() {
        JsonObject memory = call(HttpMethod.GET, "/v1/memories?session=long", null)
                .bodyAsJsonObject()
                .getJsonArray("memories")
                .getJsonObject(0);
        JsonObject alone = call(HttpMethod.GET, "/v1/memories/" + memory.getString("id"), null)
                .bodyAsJsonObject();
        assertThat(alone.getBoolean("incomplete")).isFalse();
        return alone.getInteger("passages");
    }

    private JsonObject recall() {
        return call(HttpMethod.POST, "/v1/recall", new JsonObject().put("query", "Where does the cat rest?"))
                .bodyAsJsonObject();
    }

    private long remaining() {
        JsonObject reembedding =
                call(HttpMethod.GET, "/v1/jobs", null).bodyAsJsonObject().getJsonObject("reembedding");
        boolean current =
                reembedding != null && reembedding.getString("fingerprint").equals(fingerprint());
        return current ? reembedding.getLong("remaining") : Long.MAX_VALUE;
    }

    private String fingerprint() {
        JsonObject model = workers().getJsonObject("model");
        return model == null ? "" : model.getString("fingerprint");
    }

    private long vectors(String fingerprint) {
        return await(database.preparedQuery("select count(*) from memory_vector where fingerprint = $1")
                        .execute(Tuple.of(fingerprint)))
                .iterator()
                .next()
                .getLong(0);
    }

    private HttpResponse<Buffer> replaceBy(String model) {
        return call(HttpMethod.POST, "/v1/model", new JsonObject().put("model", model));
    }

    private JsonObject workers() {
        return call(HttpMethod.GET, "/v1/workers", null).bodyAsJsonObject();
    }

    private JsonObject health() {
        return call(HttpMethod.GET, "/health", null).bodyAsJsonObject().getJsonObject("embedding");
    }

    private HttpResponse<Buffer> call(HttpMethod method, String path, @Nullable JsonObject body) {
        var request = client.request(method, port, "127.0.0.1", path);
        return await(body == null ? request.send() : request.sendJsonObject(body));
    }

    private static <T> T await(Future<T> future) {
        try {
            return future.await(60, TimeUnit.SECONDS);
        } catch (TimeoutException e) {
            throw new AssertionError("not settled within 60 s", e);
        }
    }
}
