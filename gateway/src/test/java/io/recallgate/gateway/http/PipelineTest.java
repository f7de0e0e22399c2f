package io.recallgate.gateway.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.recallgate.embedding.api.EmbedResult;
import io.recallgate.embedding.api.EmbeddingVector;
import io.recallgate.gateway.http.pipeline.HttpOptions;
import io.recallgate.gateway.postgres.Eventually;
import io.recallgate.gateway.runtime.GatewayRuntime.Phase;
import io.recallgate.recall.api.RecallRequest;
import io.recallgate.recall.api.RecallResponse;
import io.recallgate.time.CancelCause;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.json.JsonObject;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What happens around every route: phases, ids, bounds, deadlines and clients that leave. */
class PipelineTest {

    private static final String EMBEDDING = "{\"model\":\"e5-small-v2-q\",\"input\":\"x\"}";
    private static final String QUERY = "{\"query\":\"x\"}";

    private TestGateway gateway;

    @BeforeEach
    void start() {
        gateway = new TestGateway();
    }

    @AfterEach
    void stop() {
        gateway.close();
    }

    @ParameterizedTest
    @EnumSource(
            value = Phase.class,
            names = {"STARTING", "STOPPING"})
    void exceptHealthEveryRouteSaysComeBackUntilTheGatewayIsReady(Phase phase) {
        gateway.runtime.phase = phase;
        gateway.runtime.health = new JsonObject().put("status", "starting");

        gateway.api.endpoints().stream()
                .filter(endpoint -> !endpoint.path().startsWith("/health"))
                .forEach(endpoint -> {
                    HttpResponse<String> response = gateway.send(
                            endpoint.method().name(), endpoint.path().replaceAll("\\{[a-z]+}", "0"), "{}");
                    assertThat(response.statusCode()).as(endpoint.path()).isEqualTo(503);
                    assertThat(response.headers().firstValue("retry-after")).isPresent();
                });
        assertThat(gateway.get("/health/live").statusCode()).isEqualTo(200);
        assertThat(gateway.get("/health/ready").statusCode()).isEqualTo(503);
        assertThat(gateway.get("/health").statusCode()).isEqualTo(503);
    }

    @Test
    void healthTellsDegradedFromUnavailable() {
        gateway.runtime.health = new JsonObject().put("status", "degraded").put("embedding", new JsonObject());
        assertThat(gateway.get("/health/ready").statusCode()).isEqualTo(200);
        assertThat(TestGateway.json(gateway.get("/health")).getString("status")).isEqualTo("degraded");

        gateway.runtime.health = new JsonObject().put("status", "unavailable");
        assertThat(gateway.get("/health/ready").statusCode()).isEqualTo(503);
        assertThat(gateway.get("/health").statusCode()).isEqualTo(503);
        assertThat(gateway.get("/health/live").statusCode()).isEqualTo(200);
    }

    @Test
    void aSaneRequestIdIsKeptAndAnyOtherReplaced() {
        assertThat(id("trace-1:a/b=c@d+e")).isEqualTo("trace-1:a/b=c@d+e");
        assertThat(id("<script>")).isNotEqualTo("<script>").hasSize(36);
        assertThat(id("x".repeat(129))).hasSize(36);
        assertThat(gateway.get("/nothing").headers().firstValue("x-request-id")).isPresent();
    }

    private String id(String wanted) {
        return gateway.get("/health/live", "x-request-id", wanted)
                .headers()
                .firstValue("x-request-id")
                .orElseThrow();
    }

    @Test
    void aBodyOfExactlyTheLimitPassesAndOneByteMoreDoesNot() {
        gateway.options = new HttpOptions(900_000, 1_000, 30_000, 1 << 20, 10);
        String frame = "{\"content\":\"\"}";
        String fits = "{\"content\":\"" + "x".repeat(1_000 - frame.length()) + "\"}";

        assertThat(gateway.post("/v1/memories", fits).statusCode()).isEqualTo(202);
        assertThat(gateway.post("/v1/memories", fits + " ").statusCode()).isEqualTo(413);
        assertThat(chunked(fits).statusCode()).isEqualTo(202);
        assertThat(chunked(fits + " ").statusCode()).isEqualTo(413);
        assertThat(gateway.runtime.memories.count()).isEqualTo(2);
    }

    private HttpResponse<String> chunked(String body) {
        return gateway.stream(
                "POST",
                "/v1/memories",
                BodyPublishers.ofInputStream(() -> new ByteArrayInputStream(body.getBytes(StandardCharsets.UTF_8))));
    }

    @Test
    void anEndlessChunkedBodyIsCutOffAtTheLimit() throws IOException {
        gateway.options = new HttpOptions(900_000, 64 * 1024, 30_000, 1 << 20, 10);
        try (Socket socket = gateway.connect()) {
            OutputStream out = socket.getOutputStream();
            out.write(head("POST /v1/memories", "content-type: application/json", "transfer-encoding: chunked"));
            byte[] chunk = ("1000\r\n" + "x".repeat(0x1000) + "\r\n").getBytes(StandardCharsets.US_ASCII);
            for (int i = 0; i < 20; i++) {
                out.write(chunk);
            }
            out.flush();

            assertThat(statusLine(socket)).isEqualTo("HTTP/1.1 413 Request Entity Too Large");
        }
        bytesAndPlacesComeBack();
    }

    @Test
    void aBodyAnnouncedTooLargeIsRefusedBeforeItIsSent() throws IOException {
        try (Socket socket = gateway.connect()) {
            socket.getOutputStream()
                    .write(head(
                            "POST /v1/memories",
                            "content-type: application/json",
                            "expect: 100-continue",
                            "content-length: 9000000"));

            assertThat(statusLine(socket)).startsWith("HTTP/1.1 413 ");
        }
    }

    @Test
    void aClientThatAsksFirstIsToldToContinue() throws IOException {
        String body = "{\"content\":\"x\"}";
        try (Socket socket = gateway.connect()) {
            socket.getOutputStream()
                    .write(head(
                            "POST /v1/memories",
                            "content-type: application/json",
                            "expect: 100-continue",
                            "content-length: " + body.length()));
            assertThat(statusLine(socket)).isEqualTo("HTTP/1.1 100 Continue");
            assertThat(statusLine(socket)).isEmpty();

            socket.getOutputStream().write(body.getBytes(StandardCharsets.US_ASCII));

            assertThat(statusLine(socket)).startsWith("HTTP/1.1 202 ");
        }
    }

    @Test
    void aBodyThatDoesNotArriveInTimeIsA408AndTheConnectionEnds() throws IOException {
        gateway.options = new HttpOptions(900_000, 1 << 20, 100, 1 << 20, 10);
        try (Socket socket = gateway.connect()) {
            socket.getOutputStream()
                    .write(head("POST /v1/memories", "content-type: application/json", "content-length: 100"));
            socket.getOutputStream().write("{\"content\":".getBytes(StandardCharsets.US_ASCII));

            assertThat(statusLine(socket)).startsWith("HTTP/1.1 408 ");
            socket.getInputStream().readAllBytes();
        }
        bytesAndPlacesComeBack();
    }

    @Test
    void bodiesThatWouldExceedTheMemoryForThemAreRefusedForNow() throws IOException {
        gateway.options = new HttpOptions(900_000, 1_000, 30_000, 1_500, 10);
        try (Socket socket = gateway.connect()) {
            socket.getOutputStream()
                    .write(head("POST /v1/memories", "content-type: application/json", "content-length: 900"));
            awaitGauge("recallgate_http_buffered_bytes", 900);

            HttpResponse<String> refused = gateway.post("/v1/memories", "{\"content\":\"" + "x".repeat(800) + "\"}");

            assertThat(refused.statusCode()).isEqualTo(429);
            assertThat(refused.headers().firstValue("retry-after")).isPresent();
        }
        bytesAndPlacesComeBack();
    }

    @Test
    void moreRequestsThanTheBoundAreRefusedAndPlacesComeBack() throws Exception {
        gateway.options = new HttpOptions(900_000, 1 << 20, 30_000, 1 << 20, 2);
        List<Promise<RecallResponse>> held = new ArrayList<>();
        gateway.runtime.recall = request -> {
            Promise<RecallResponse> promise = Promise.promise();
            synchronized (held) {
                held.add(promise);
            }
            return promise.future();
        };
        CompletableFuture<?> first = CompletableFuture.supplyAsync(() -> gateway.post("/v1/recall", QUERY));
        RecallRequest request = next();
        CompletableFuture<?> second = CompletableFuture.supplyAsync(() -> gateway.post("/v1/recall", QUERY));
        next();

        HttpResponse<String> third = gateway.post("/v1/recall", QUERY);

        assertThat(third.statusCode()).isEqualTo(429);
        assertThat(third.headers().firstValue("retry-after")).isPresent();
        assertThat(gateway.get("/health/ready").statusCode()).isEqualTo(200);
        synchronized (held) {
            held.forEach(promise -> promise.complete(ScriptedRuntime.emptyAnswer(request)));
        }
        CompletableFuture.allOf(first, second).get(10, TimeUnit.SECONDS);
        bytesAndPlacesComeBack();
    }

    private RecallRequest next() throws InterruptedException {
        RecallRequest request = gateway.runtime.recalled.poll(10, TimeUnit.SECONDS);
        assertThat(request).as("a recall that reached its service").isNotNull();
        return request;
    }

    @Test
    void aClientThatLeavesCancelsItsRecall() throws Exception {
        Promise<RecallResponse> never = Promise.promise();
        gateway.runtime.recall = request -> never.future();
        CompletableFuture<CancelCause> cancelled = new CompletableFuture<>();
        try (Socket socket = gateway.connect()) {
            socket.getOutputStream().write(post("/v1/recall", QUERY));
            next().cancel().onCancel(cancelled::complete);
        }

        assertThat(cancelled.get(5, TimeUnit.SECONDS)).isEqualTo(CancelCause.DISCONNECTED);
        never.fail("cancelled");
        bytesAndPlacesComeBack();
    }

    @Test
    void aClientThatLeavesCancelsItsEmbedding() throws Exception {
        leavingCancelsTheEmbedding(new byte[0]);
    }

    @Test
    void aClientThatLeavesInTheMiddleOfItsBodyFreesWhatItHeld() throws IOException {
        leaveInTheMiddleOf("/v1/memories", "{\"content\":");

        assertThat(gateway.runtime.memories.count()).isZero();
    }

    @Test
    void aClientThatLeavesInTheMiddleOfItsInputAsksNoModel() throws IOException {
        leaveInTheMiddleOf("/v1/embeddings", "{\"model\":");

        assertThat(gateway.runtime.embedded).isEmpty();
    }

    private void leaveInTheMiddleOf(String path, String beginning) throws IOException {
        try (Socket socket = gateway.connect()) {
            socket.getOutputStream()
                    .write(head("POST " + path, "content-type: application/json", "content-length: 5000"));
            socket.getOutputStream().write(beginning.getBytes(StandardCharsets.US_ASCII));
            awaitGauge("recallgate_http_buffered_bytes", 5_000);
        }
        bytesAndPlacesComeBack();
    }

    @Test
    void aClientThatLeavesWithASmallRequestBehindItsEmbeddingCancelsIt() throws Exception {
        leavingCancelsTheEmbedding(post("/v1/embeddings", EMBEDDING));
    }

    /** @param behind what the client sends on the same connection while its embedding runs, before it leaves */
    private void leavingCancelsTheEmbedding(byte[] behind) throws Exception {
        Promise<EmbedResult> never = Promise.promise();
        gateway.runtime.embed = request -> never.future();
        CompletableFuture<CancelCause> cancelled = new CompletableFuture<>();
        try (Socket socket = gateway.connect()) {
            socket.getOutputStream().write(post("/v1/embeddings", EMBEDDING));
            var request = gateway.runtime.embedded.poll(10, TimeUnit.SECONDS);
            assertThat(request).isNotNull();
            request.cancel().onCancel(cancelled::complete);
            socket.getOutputStream().write(behind);
        }

        assertThat(cancelled.get(5, TimeUnit.SECONDS)).isEqualTo(CancelCause.DISCONNECTED);
        never.fail("cancelled");
        bytesAndPlacesComeBack();
    }

    @Test
    void aClientThatLeavesWhileItsAnswerIsWrittenFreesWhatItHeld() throws Exception {
        try (Socket socket = askingForALargeAnswer()) {
            // It is not read any further, so its place is not free either.
            for (int i = 0; i < 50; i++) {
                assertThat(gateway.get("/metrics").body()).contains("recallgate_http_requests_in_flight 1.0");
            }
            assertThat(socket.isConnected()).isTrue();
        }

        bytesAndPlacesComeBack();
        assertThat(gateway.get("/metrics").body())
                .contains("method=\"POST\",route=\"/v1/embeddings\",status=\"499\"")
                .doesNotContain("method=\"POST\",route=\"/v1/embeddings\",status=\"200\"");
    }

    @Test
    void aClientThatDoesNotTakeItsAnswerIsCutOffWhenTheRequestsLifetimeEnds() throws Exception {
        gateway.options = new HttpOptions(8_000, 1 << 20, 30_000, 1 << 20, 10);
        try (Socket socket = askingForALargeAnswer()) {
            Eventually.holds("a free place", 60, () -> gateway.get("/metrics")
                    .body()
                    .contains("recallgate_http_requests_in_flight 0.0"));

            assertThat(socket.isClosed()).isFalse();
        }
        assertThat(gateway.get("/metrics").body()).contains("method=\"POST\",route=\"/v1/embeddings\",status=\"499\"");
    }

    /** Some 20 MB, which no socket buffer takes; its status line is read and nothing more. */
    private Socket askingForALargeAnswer() throws IOException {
        gateway.runtime.embed = request -> Future.succeededFuture(new EmbedResult(
                ScriptedRuntime.MODEL,
                Collections.nCopies(1_024, EmbeddingVector.of(halves(2_048))),
                Collections.nCopies(1_024, 1),
                List.of(),
                EmbedResult.Timing.NONE));
        String inputs = "[" + "\"x\",".repeat(1_023) + "\"x\"]";
        Socket socket = gateway.connect();
        socket.getOutputStream().write(post("/v1/embeddings", EMBEDDING.replace("\"x\"", inputs)));
        assertThat(statusLine(socket)).startsWith("HTTP/1.1 200 ");
        return socket;
    }

    private static float[] halves(int dimensions) {
        float[] values = new float[dimensions];
        Arrays.fill(values, (float) (1 / Math.sqrt(dimensions)));
        return values;
    }

    @Test
    void aServiceThatForgetsItsDeadlineIsAnsweredFor() {
        Promise<RecallResponse> never = Promise.promise();
        gateway.runtime.recall = request -> {
            request.cancel().onCancel(cause -> never.tryFail("cancelled"));
            return never.future();
        };

        HttpResponse<String> response = gateway.post("/v1/recall", QUERY, "x-recallgate-deadline-ms", "20");

        assertThat(response.statusCode()).isEqualTo(504);
        assertThat(TestGateway.json(response).getString("code")).isEqualTo("deadline-exceeded");
        bytesAndPlacesComeBack();
    }

    @Test
    void aCallersDeadlineIsNeverLongerThanTheRequestsLifetime() throws InterruptedException {
        gateway.options = new HttpOptions(10_000, 1 << 20, 30_000, 1 << 20, 10);

        gateway.post("/v1/recall", QUERY, "x-recallgate-deadline-ms", "3000000");
        gateway.post("/v1/recall", "{\"query\":\"x\",\"deadline_ms\":400}");

        assertThat(next().deadline().remainingMillis()).isBetween(1L, 10_000L);
        assertThat(next().deadline().remainingMillis()).isLessThanOrEqualTo(400);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 300_000, 4_000_000})
    void bodiesOfEverySizeAreDecodedWhole(int length) throws InterruptedException {
        assertThat(gateway.post("/v1/recall", "{\"query\":\"x\"" + " ".repeat(length) + "}")
                        .statusCode())
                .isEqualTo(200);
        assertThat(next().query()).isEqualTo("x");
    }

    @Test
    void aDefectIsA500WithoutItsMessage() {
        gateway.runtime.recall = request -> {
            throw new IllegalStateException("secret text");
        };

        HttpResponse<String> response = gateway.post("/v1/recall", QUERY);

        assertThat(response.statusCode()).isEqualTo(500);
        assertThat(response.body()).doesNotContain("secret");
        assertThat(TestGateway.json(response).getString("code")).isEqualTo("internal");
        bytesAndPlacesComeBack();
    }

    @Test
    void oneConnectionServesManyRequestsAlsoAfterRefusedOnes() throws IOException {
        try (Socket socket = gateway.connect()) {
            for (int i = 0; i < 3; i++) {
                socket.getOutputStream().write(post("/v1/nothing", QUERY));
                assertThat(statusLine(socket)).startsWith("HTTP/1.1 404 ");
                skipRest(socket);
                socket.getOutputStream().write(post("/v1/recall", QUERY));
                assertThat(statusLine(socket)).startsWith("HTTP/1.1 200 ");
                skipRest(socket);
            }
        }
    }

    private void bytesAndPlacesComeBack() {
        awaitGauge("recallgate_http_buffered_bytes", 0);
        awaitGauge("recallgate_http_requests_in_flight", 0);
    }

    /** Asks until the gauge has the value: each question is a round trip, so this does not spin. */
    private void awaitGauge(String name, double value) {
        String scraped = "";
        for (int i = 0; i < 2_000; i++) {
            scraped = gateway.get("/metrics").body();
            if (scraped.lines().anyMatch(line -> line.equals(name + " " + value))) {
                return;
            }
        }
        throw new AssertionError(name + " never became " + value + " in\n" + scraped);
    }

    private static byte[] head(String request, String... headers) {
        return (request + " HTTP/1.1\r\nhost: localhost\r\n" + String.join("\r\n", headers) + "\r\n\r\n")
                .getBytes(StandardCharsets.US_ASCII);
    }

    private static byte[] post(String path, String body) {
        String head = new String(
                head("POST " + path, "content-type: application/json", "content-length: " + body.length()),
                StandardCharsets.US_ASCII);
        return (head + body).getBytes(StandardCharsets.US_ASCII);
    }

    private static String statusLine(Socket socket) throws IOException {
        InputStream in = socket.getInputStream();
        StringBuilder line = new StringBuilder();
        for (int c = in.read(); c != '\n' && c != -1; c = in.read()) {
            if (c != '\r') {
                line.append((char) c);
            }
        }
        return line.toString();
    }

    private static void skipRest(Socket socket) throws IOException {
        int length = 0;
        for (String line = statusLine(socket); !line.isEmpty(); line = statusLine(socket)) {
            if (line.startsWith("content-length: ")) {
                length = Integer.parseInt(line.substring(16));
            }
        }
        socket.getInputStream().readNBytes(length);
    }
}
