package io.recallgate.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.recallgate.embedding.api.EmbeddingVector;
import io.recallgate.gateway.postgres.Eventually;
import io.recallgate.time.Deadline;
import io.recallgate.time.SystemClock;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.MessageCodec;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.client.HttpResponse;
import io.vertx.ext.web.client.WebClient;
import io.vertx.ext.web.handler.BodyHandler;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The whole gateway, real database and real model, mounted in an application that has a router, a body handler and
 * codecs of its own.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(300)
class RecallgateRouterTest {

    private static final String MODEL = "e5-small-v2-q";
    private static final String TALKS = "talks";

    private Vertx vertx;
    private WebClient client;
    private int port;
    private RecallgateRouter gateway;
    private int statusBeforeReady;

    @BeforeAll
    void start(@TempDir Path directory) {
        vertx = Vertx.vertx();
        for (String name : List.of("recallgate", "recallgate-local", "recallgate.local")) {
            vertx.eventBus().registerCodec(new ForeignCodec(name));
        }
        gateway = RecallgateRouter.open(
                vertx,
                new JsonObject()
                        .put("data-dir", directory.resolve("data").toString())
                        // What is recalled is of interest here, and not how soon.
                        .put("embedding", new JsonObject().put("timeout-ms", 60_000))
                        .put(
                                "conversation",
                                new JsonObject().put("upstream", "demo").put("preparation-budget-ms", 60_000)));
        Router application = Router.router(vertx);
        application.route().handler(BodyHandler.create());
        application.get("/hello").handler(routing -> routing.response().end("hello"));
        application.route("/memory/*").subRouter(gateway.router());
        HttpServer server =
                await(vertx.createHttpServer().requestHandler(application).listen(0, "127.0.0.1"));
        port = server.actualPort();
        client = WebClient.create(vertx);
        statusBeforeReady = call(HttpMethod.GET, "/memory/v1/jobs", null).statusCode();
        await(gateway.ready());
    }

    @AfterAll
    void stop() {
        await(vertx.close());
    }

    @Test
    void itAnswersBeforeItIsReadyAndLeavesTheApplicationsRoutesAlone() {
        assertThat(statusBeforeReady).isEqualTo(503);
        assertThat(call(HttpMethod.GET, "/hello", null).bodyAsString()).isEqualTo("hello");
        assertThat(call(HttpMethod.GET, "/memory/health/ready", null).statusCode())
                .isEqualTo(200);
        assertThat(call(HttpMethod.GET, "/memory/nothing", null)
                        .bodyAsJsonObject()
                        .getString("code"))
                .isEqualTo("not-found");
        assertThat(call(HttpMethod.PUT, "/memory/v1/memories", null).getHeader("allow"))
                .contains("POST");
    }

    @Test
    void whatIsRememberedIsEmbeddedAndRecalledByMeaning() {
        JsonArray memories = new JsonArray()
                .add(new JsonObject()
                        .put("content", "Our cat Minou sleeps on the piano.")
                        .put("session", "router"))
                .add(new JsonObject()
                        .put("content", "The invoice was paid in March.")
                        .put("session", "router"))
                .add(new JsonObject().put("content", "祖母は京都に住んでいます。").put("session", "router"));
        HttpResponse<Buffer> stored =
                call(HttpMethod.POST, "/memory/v1/memories", new JsonObject().put("memories", memories));
        assertThat(stored.statusCode()).as(stored.bodyAsString()).isEqualTo(202);
        stored.bodyAsJsonObject()
                .getJsonArray("memories")
                .forEach(entry -> awaitEmbedded(((JsonObject) entry).getString("id")));

        HttpResponse<Buffer> answer = call(
                HttpMethod.POST,
                "/memory/v1/recall",
                new JsonObject().put("query", "Where does the pet rest?").put("session", "router"));

        JsonObject envelope = answer.bodyAsJsonObject();
        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(envelope.getValue("degraded")).as(envelope.encode()).isNull();
        assertThat(envelope.getJsonObject("mode").getString("served")).isEqualTo("hybrid");
        JsonObject first = envelope.getJsonArray("hits").getJsonObject(0);
        assertThat(first.getString("content")).startsWith("Our cat");
        assertThat(first.getJsonObject("ranks").getInteger("vector")).isEqualTo(1);
    }

    @Test
    void whatIsSaidInOneConversationIsGivenToAnotherAndNotToItself() throws InterruptedException {
        String said = "My sister Ottilie keeps her bees in Graz.";
        assertThat(turn("first", said).getString("content")).contains("no memories");
        awaitTurns("first", 2);

        JsonObject itself = turn("first", said);
        JsonObject other = turn("second", "Where does Ottilie keep her bees?");

        assertThat(other.getString("content")).contains("[id ").contains(said);
        assertThat(itself.getString("content")).doesNotContain(said);
    }

    /** What a conversation is answered to one message. */
    private JsonObject turn(String session, String said) {
        JsonObject message = new JsonObject().put("role", "user").put("content", said);
        HttpResponse<Buffer> answer = await(client.request(
                        HttpMethod.POST, port, "127.0.0.1", "/memory/v1/chat/completions")
                .putHeader("x-recallgate-session", session)
                // What other tests remember is in another one.
                .putHeader("x-recallgate-project", TALKS)
                .sendJsonObject(new JsonObject().put("model", "demo").put("messages", new JsonArray().add(message))));
        assertThat(answer.statusCode()).as(answer.bodyAsString()).isEqualTo(200);
        assertThat(answer.getHeader("x-recallgate-window")).isEqualTo("full");
        return answer.bodyAsJsonObject()
                .getJsonArray("choices")
                .getJsonObject(0)
                .getJsonObject("message");
    }

    /** A turn is remembered after its answer. */
    private void awaitTurns(String session, int turns) throws InterruptedException {
        Eventually.holds(
                turns + " turns",
                90,
                () -> await(client.request(
                                                HttpMethod.GET,
                                                port,
                                                "127.0.0.1",
                                                "/memory/v1/memories?kind=turn&session=" + session)
                                        .putHeader("x-recallgate-project", TALKS)
                                        .send())
                                .bodyAsJsonObject()
                                .getJsonArray("memories")
                                .size()
                        == turns);
    }

    private void awaitEmbedded(String id) {
        // By time: on a fast machine any number of questions is over before a model has run.
        Deadline deadline = Deadline.afterMillis(SystemClock.INSTANCE, 90_000);
        String state = "";
        while (!state.equals("embedded") && !deadline.isPassed()) {
            state = call(HttpMethod.GET, "/memory/v1/memories/" + id, null)
                    .bodyAsJsonObject()
                    .getString("state");
        }
        assertThat(state)
                .as(() -> call(HttpMethod.GET, "/memory/v1/jobs", null).bodyAsString() + " "
                        + call(HttpMethod.GET, "/memory/v1/workers", null).bodyAsString())
                .isEqualTo("embedded");
    }

    @Test
    void embeddingsOfTheRealModelAreTheSameInBothEncodings() {
        JsonObject request = new JsonObject()
                .put("model", MODEL)
                .put("input", new JsonArray().add("a cat").add("tax"));
        JsonArray floats = call(HttpMethod.POST, "/memory/v1/embeddings", request)
                .bodyAsJsonObject()
                .getJsonArray("data");
        JsonArray base64 = call(
                        HttpMethod.POST, "/memory/v1/embeddings", request.copy().put("encoding_format", "base64"))
                .bodyAsJsonObject()
                .getJsonArray("data");

        for (int i = 0; i < 2; i++) {
            EmbeddingVector vector = EmbeddingVector.ofLittleEndian(
                    Base64.getDecoder().decode(base64.getJsonObject(i).getString("embedding")));
            JsonArray values = floats.getJsonObject(i).getJsonArray("embedding");
            assertThat(vector.dimensions()).isEqualTo(384).isEqualTo(values.size());
            assertThat(vector.dot(vector)).isBetween(0.999, 1.001);
            List<Float> differing = new ArrayList<>();
            for (int k = 0; k < 384; k++) {
                if (Math.abs(values.getFloat(k) - vector.get(k)) > 1e-6f) {
                    differing.add(vector.get(k));
                }
            }
            assertThat(differing).isEmpty();
        }
    }

    private HttpResponse<Buffer> call(HttpMethod method, String path, @Nullable JsonObject body) {
        var request = client.request(method, port, "127.0.0.1", path);
        return await(body == null ? request.send() : request.sendJsonObject(body));
    }

    private static <T> T await(Future<T> future) {
        try {
            return future.await(90, TimeUnit.SECONDS);
        } catch (TimeoutException e) {
            throw new AssertionError("not settled within 90 s", e);
        }
    }

    /** A codec of the application's, under a name that we might have wanted. */
    private record ForeignCodec(String name) implements MessageCodec<Buffer, Buffer> {
        @Override
        public void encodeToWire(Buffer buffer, Buffer message) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Buffer decodeFromWire(int position, Buffer buffer) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Buffer transform(Buffer message) {
            return message;
        }

        @Override
        public byte systemCodecID() {
            return -1;
        }
    }
}
