package io.recallgate.gateway.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.recallgate.embedding.EmbeddingOptions;
import io.recallgate.embedding.EmbeddingVerticle;
import io.recallgate.embedding.api.EmbedInput;
import io.recallgate.embedding.api.EmbeddingVector;
import io.recallgate.embedding.api.InputType;
import io.recallgate.embedding.model.ModelProfile;
import io.recallgate.embedding.model.TextModel;
import io.recallgate.embedding.model.TokenizedRow;
import io.recallgate.embedding.pool.PoolLimits;
import io.recallgate.gateway.postgres.Eventually;
import io.recallgate.time.SystemClock;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.Socket;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** {@code POST /v1/embeddings} on the pool itself: a queue of two, and a model that runs until it is let go. */
@Timeout(300)
class PoolEmbeddingsTest {

    private static final int QUEUE_BYTES = 3_000;
    private static final int VOCABULARY = 100;

    private final CountDownLatch letGo = new CountDownLatch(1);
    private TestGateway gateway;

    @BeforeEach
    void start() {
        gateway = new TestGateway();
        PoolLimits usual = PoolLimits.defaults(1);
        PoolLimits limits = new PoolLimits(
                1,
                usual.expectedWorkerBytes(),
                new PoolLimits.Queue(2, QUEUE_BYTES, 2, QUEUE_BYTES, 64, 8),
                usual.slice(),
                usual.watchdogs(),
                usual.retry(),
                usual.retention());
        EmbeddingVerticle pool = new EmbeddingVerticle(
                EmbeddingOptions.defaults("held", Path.of("unused"), 1).withLimits(limits),
                gateway.registry,
                name -> new HeldModel(),
                SystemClock.INSTANCE);
        TestGateway.await(gateway.vertx.deployVerticle(pool));
        TestGateway.await(pool.ready());
        gateway.runtime.embed = pool.embedder()::embed;
        gateway.runtime.workers = pool.operations();
    }

    @AfterEach
    void stop() {
        letGo.countDown();
        gateway.close();
    }

    private static String body(Object input) {
        return new JsonObject()
                .put("model", ScriptedRuntime.MODEL.name())
                .put("input", input)
                .encode();
    }

    private HttpResponse<String> embed(Object input) {
        return gateway.post("/v1/embeddings", body(input));
    }

    private Socket asking(String text) throws IOException {
        String body = body(text);
        Socket socket = gateway.connect();
        socket.getOutputStream()
                .write(("POST /v1/embeddings HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n"
                                + "content-length: " + body.length() + "\r\n\r\n" + body)
                        .getBytes(StandardCharsets.US_ASCII));
        return socket;
    }

    private void waitersBecome(int wanted) throws InterruptedException {
        Eventually.holds(wanted + " waiters", 60, () -> queue().getInteger("waiters") == wanted);
    }

    private JsonObject queue() {
        return TestGateway.json(gateway.get("/v1/workers")).getJsonObject("queue");
    }

    @Test
    void theOneWhoRunsAndTheOneWhoWaitsAreBothForgottenWhenTheyLeave() throws Exception {
        try (Socket running = asking("runs")) {
            waitersBecome(1);
            try (Socket queued = asking("waits")) {
                waitersBecome(2);
                assertThat(queued.isConnected()).isTrue();
            }
            waitersBecome(1);
            assertThat(queue().getInteger("operations"))
                    .as("what nobody wants does not stand in the queue")
                    .isEqualTo(1);
            assertThat(running.isConnected()).isTrue();
        }
        waitersBecome(0);
    }

    @Test
    void aFullQueueSaysComeBackInOpenAisShapeAndHasRoomAfterwards() throws Exception {
        CompletableFuture<HttpResponse<String>> first = CompletableFuture.supplyAsync(() -> embed("one"));
        CompletableFuture<HttpResponse<String>> second = CompletableFuture.supplyAsync(() -> embed("two"));
        waitersBecome(2);

        HttpResponse<String> refused = embed("three");

        assertThat(refused.statusCode()).isEqualTo(429);
        assertThat(Integer.parseInt(refused.headers().firstValue("retry-after").orElseThrow()))
                .isBetween(1, 120);
        assertThat(refused.headers().firstValue("x-should-retry")).contains("true");
        assertError(refused, null);
        letGo.countDown();
        assertThat(first.get(60, TimeUnit.SECONDS).statusCode()).isEqualTo(200);
        assertThat(second.get(60, TimeUnit.SECONDS).statusCode()).isEqualTo(200);
        assertThat(embed("three").statusCode()).isEqualTo(200);
    }

    @Test
    @Tag("npm")
    void theOfficialClientComesBackByItselfAndIsServed() throws Exception {
        OpenAiClientTest.install();
        try (Socket one = asking("one");
                Socket two = asking("two")) {
            waitersBecome(2);
            CompletableFuture<String> client = CompletableFuture.supplyAsync(() -> {
                try {
                    return OpenAiClientTest.script("retry.mjs", gateway);
                } catch (IOException | InterruptedException e) {
                    throw new AssertionError(e);
                }
            });
            // One or more: it may have come back before this looked.
            Eventually.holds("a refusal", 60, () -> !gateway.get("/metrics")
                    .body()
                    .contains("recallgate_embedding_refused_total 0.0"));

            letGo.countDown();

            assertThat(client.get(60, TimeUnit.SECONDS)).endsWith("ok\n");
            assertThat(one.isConnected() && two.isConnected()).isTrue();
        }
    }

    @Test
    void workThatIsLargerThanTheWholeQueueIsNotToBeSentAgain() {
        HttpResponse<String> response = embed("x".repeat(QUEUE_BYTES + 1));

        assertThat(response.statusCode()).isEqualTo(413);
        assertThat(response.headers().firstValue("retry-after")).isEmpty();
        assertThat(response.headers().firstValue("x-should-retry")).contains("false");
        assertError(response, null);
    }

    @Test
    void aTokenOutsideTheVocabularyIsRefusedWithItsPlace() {
        JsonArray rows = new JsonArray()
                .add(new JsonArray().add(1))
                .add(new JsonArray().add(1).add(VOCABULARY));

        HttpResponse<String> response = embed(rows);

        assertThat(response.statusCode()).isEqualTo(400);
        assertError(response, "input[1][1]");
        assertError(embed(new JsonArray().add(VOCABULARY)), "input[0]");
    }

    @Test
    void aDeadlineThatPassesInTheQueueIsA504AndNobodyWaitsAnyMore() throws Exception {
        HttpResponse<String> response = gateway.post("/v1/embeddings", body("x"), "x-recallgate-deadline-ms", "50");

        assertThat(response.statusCode()).isEqualTo(504);
        assertError(response, null);
        waitersBecome(0);
    }

    private static void assertError(HttpResponse<String> response, @Nullable String param) {
        JsonObject error = TestGateway.json(response).getJsonObject("error");
        assertThat(error.fieldNames()).containsExactlyInAnyOrder("message", "type", "param", "code");
        assertThat(error.getString("param")).as(error.encode()).isEqualTo(param);
    }

    /** Runs until the test lets go; like native code in the worst case, it does not end when told to. */
    private final class HeldModel implements TextModel {
        @Override
        public ModelProfile profile() {
            return new ModelProfile(ScriptedRuntime.MODEL, false, 0.5, VOCABULARY, 1 << 20);
        }

        @Override
        public TokenizedRow tokenize(EmbedInput input, InputType type) {
            return TokenizedRow.ofLength(3, false);
        }

        @Override
        public List<EmbeddingVector> run(long runId, List<TokenizedRow> rows) {
            try {
                assertThat(letGo.await(60, TimeUnit.SECONDS)).isTrue();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            return Collections.nCopies(rows.size(), EmbeddingVector.of(new float[] {1, 0, 0, 0, 0, 0, 0, 0}));
        }

        @Override
        public void terminate(long runId) {
            // Told to end, it runs on.
        }

        @Override
        public void close() {
            // Nothing is held.
        }
    }
}
