package io.recallgate.gateway.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.recallgate.embedding.api.EmbedResult;
import io.recallgate.recall.api.ExportPage;
import io.recallgate.recall.api.RecallResponse;
import io.recallgate.time.CancelCause;
import io.vertx.core.Promise;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Clients that send requests on one connection before the one ahead of them is answered. */
@Timeout(60)
class PipelinedRequestsTest {

    private static final String SPACES = " ".repeat(1_000_000);
    private static final String EMBEDDING = "{\"model\":\"e5-small-v2-q\",\"input\":\"x\"}";
    private static final String QUERY = "{\"query\":\"x\"}";
    private static final String LIVE = "GET /health/live HTTP/1.1\r\nhost: localhost\r\n\r\n";

    private TestGateway gateway;

    @BeforeEach
    void start() {
        gateway = new TestGateway();
    }

    @AfterEach
    void stop() {
        gateway.close();
    }

    /** What is sent behind a request that is being answered. */
    enum Behind {
        NOTHING,
        A_SMALL_BODY,
        A_LARGE_BODY,
        A_LARGE_BODY_BEHIND_SMALL_ONES,
        TWO_LARGE_BODIES,
        A_LARGE_CHUNKED_BODY,
        A_BODY_IN_TINY_CHUNKS,
        A_LARGE_BODY_THAT_ASKS_AND_DOES_NOT_WAIT,
        AN_IMPORT,
        A_LARGE_BODY_OF_A_ROUTE_WITHOUT_ONE,
        MANY_SMALL_REQUESTS,
        WHAT_IS_NO_HTTP;

        String text(int bytes) {
            String spaces = " ".repeat(bytes);
            String length = "content-length: " + bytes;
            return switch (this) {
                case NOTHING -> "";
                case A_SMALL_BODY -> post("/v1/embeddings", EMBEDDING);
                case A_LARGE_BODY -> post("/v1/embeddings", EMBEDDING + spaces);
                case A_LARGE_BODY_BEHIND_SMALL_ONES ->
                    post("/v1/recall", QUERY) + LIVE + post("/v1/embeddings", EMBEDDING + spaces);
                case TWO_LARGE_BODIES -> post("/v1/embeddings", EMBEDDING + spaces) + post("/v1/memories", spaces);
                case A_LARGE_CHUNKED_BODY ->
                    head("POST /v1/embeddings", "transfer-encoding: chunked") + Integer.toHexString(bytes) + "\r\n"
                            + spaces + "\r\n0\r\n\r\n";
                case A_BODY_IN_TINY_CHUNKS ->
                    head("POST /v1/embeddings", "transfer-encoding: chunked") + "1\r\n \r\n".repeat(bytes / 6)
                            + "0\r\n\r\n";
                case A_LARGE_BODY_THAT_ASKS_AND_DOES_NOT_WAIT ->
                    head("POST /v1/embeddings", "expect: 100-continue", length) + spaces;
                case AN_IMPORT -> head("POST /v1/memories/import", length) + spaces;
                case A_LARGE_BODY_OF_A_ROUTE_WITHOUT_ONE -> head("GET /health/live", length) + spaces;
                case MANY_SMALL_REQUESTS -> LIVE.repeat(bytes / LIVE.length());
                case WHAT_IS_NO_HTTP -> spaces;
            };
        }
    }

    @ParameterizedTest
    @EnumSource
    void aClientThatLeavesCancelsItsEmbeddingWhateverItSentBehind(Behind behind) throws Exception {
        Promise<EmbedResult> never = Promise.promise();
        gateway.runtime.embed = request -> never.future();
        CompletableFuture<CancelCause> cancelled = new CompletableFuture<>();
        try (Socket socket = gateway.connect()) {
            send(socket, post("/v1/embeddings", EMBEDDING));
            next(gateway.runtime.embedded).cancel().onCancel(cancelled::complete);
            send(socket, behind.text(1_000_000));
        }

        assertThat(cancelled.get(5, TimeUnit.SECONDS)).isEqualTo(CancelCause.DISCONNECTED);
        never.fail("cancelled");
        placesComeBack();
        assertThat(gateway.runtime.embedded).isEmpty();
    }

    /** What reaches a service next. */
    private static <T> T next(BlockingQueue<T> reached) throws InterruptedException {
        return Objects.requireNonNull(reached.poll(10, TimeUnit.SECONDS), "nothing reached the service");
    }

    @Test
    void aClientThatLeavesInTheMiddleOfAnEndlessBodyCancelsTheEmbeddingAhead() throws Exception {
        Promise<EmbedResult> never = Promise.promise();
        gateway.runtime.embed = request -> never.future();
        CompletableFuture<CancelCause> cancelled = new CompletableFuture<>();
        Endless endless = new Endless();
        try (Socket socket = gateway.connect()) {
            send(socket, post("/v1/embeddings", EMBEDDING));
            next(gateway.runtime.embedded).cancel().onCancel(cancelled::complete);
            endless.sendOn(socket);
            // Far more than anybody keeps: the gateway reads on.
            endless.await(64 << 20);
            assertThat(cancelled).isNotDone();
        }

        assertThat(cancelled.get(5, TimeUnit.SECONDS)).isEqualTo(CancelCause.DISCONNECTED);
        never.fail("cancelled");
        placesComeBack();
        endless.join();
    }

    @Test
    void aClientThatLeavesCancelsItsRecall() throws Exception {
        Promise<RecallResponse> never = Promise.promise();
        gateway.runtime.recall = request -> never.future();
        CompletableFuture<CancelCause> cancelled = new CompletableFuture<>();
        try (Socket socket = gateway.connect()) {
            send(socket, post("/v1/recall", QUERY));
            var request = next(gateway.runtime.recalled);
            request.cancel().onCancel(cancelled::complete);
            send(socket, Behind.A_LARGE_BODY.text(1_000_000));
        }

        assertThat(cancelled.get(5, TimeUnit.SECONDS)).isEqualTo(CancelCause.DISCONNECTED);
        never.fail("cancelled");
        placesComeBack();
    }

    /** With the default bounds: an export would hold its place for half a minute. */
    @Test
    void aClientThatLeavesEndsItsExport() throws Exception {
        Promise<ExportPage> part = Promise.promise();
        CompletableFuture<Void> asked = new CompletableFuture<>();
        gateway.runtime.memories.export = query -> {
            asked.complete(null);
            return part.future();
        };
        try (Socket socket = gateway.connect()) {
            send(socket, "GET /v1/export HTTP/1.1\r\nhost: localhost\r\n\r\n");
            asked.get(10, TimeUnit.SECONDS);
            send(socket, Behind.A_LARGE_BODY.text(1_000_000));
        }

        awaitMetric("method=\"GET\",route=\"/v1/export\",status=\"499\"");
        part.fail("cancelled");
        placesComeBack();
    }

    @Test
    void aClientThatLeavesEndsItsImport() throws Exception {
        Promise<Void> stored = Promise.promise();
        gateway.runtime.memories.restore = memories -> stored.future();
        String line = "{\"content\":\"x\"}\n";
        try (Socket socket = gateway.connect()) {
            send(
                    socket,
                    "POST /v1/memories/import HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/x-ndjson\r\n"
                            + "content-length: " + line.length() + "\r\n\r\n" + line);
            assertThat(gateway.runtime.memories.restored.poll(10, TimeUnit.SECONDS))
                    .isNotNull();
            send(socket, Behind.A_LARGE_BODY.text(1_000_000));
        }

        awaitMetric("method=\"POST\",route=\"/v1/memories/import\",status=\"499\"");
        stored.fail("cancelled");
        placesComeBack();
    }

    @Test
    void aClientThatLeavesWithALargeBodyWhereNoneIsWantedEndsItsExport() throws Exception {
        Promise<ExportPage> part = Promise.promise();
        CompletableFuture<Void> asked = new CompletableFuture<>();
        gateway.runtime.memories.export = query -> {
            asked.complete(null);
            return part.future();
        };
        try (Socket socket = gateway.connect()) {
            send(socket, head("GET /v1/export", "content-length: " + SPACES.length()) + SPACES);
            asked.get(10, TimeUnit.SECONDS);
        }

        awaitMetric("method=\"GET\",route=\"/v1/export\",status=\"499\"");
        part.fail("cancelled");
        placesComeBack();
    }

    @ParameterizedTest
    @MethodSource("refused")
    void aClientThatStaysHasItsAnswerAndIsToldWhatWasNotTaken(Behind behind, int answeredBetween) throws Exception {
        Promise<EmbedResult> slow = Promise.promise();
        gateway.runtime.embed = request -> slow.future();
        try (Socket socket = gateway.connect()) {
            send(socket, post("/v1/embeddings", EMBEDDING));
            var request = next(gateway.runtime.embedded);
            // Written to its end, so the gateway has read on: no socket buffer holds this much.
            send(socket, behind.text(40_000_000));

            slow.complete(ScriptedRuntime.vectors(request));

            assertThat(Answer.read(socket).body()).contains("\"embedding\"");
            for (int i = 0; i < answeredBetween; i++) {
                assertThat(Answer.read(socket).status()).isEqualTo(200);
            }
            Answer refusal = Answer.read(socket);
            assertThat(refusal.status()).isEqualTo(429);
            assertThat(refusal.head()).contains("connection: close").contains("retry-after: ");
            assertThat(refusal.body()).contains("send this again when the answer before it is there");
            assertThat(socket.getInputStream().read()).isEqualTo(-1);
        }
        placesComeBack();
        assertThat(gateway.runtime.embedded).isEmpty();
        assertThat(gateway.runtime.memories.count()).isZero();
    }

    static Stream<Arguments> refused() {
        return Stream.of(
                Arguments.of(Behind.A_LARGE_BODY, 0),
                Arguments.of(Behind.A_LARGE_BODY_BEHIND_SMALL_ONES, 2),
                Arguments.of(Behind.TWO_LARGE_BODIES, 0),
                Arguments.of(Behind.A_LARGE_CHUNKED_BODY, 0),
                Arguments.of(Behind.A_LARGE_BODY_THAT_ASKS_AND_DOES_NOT_WAIT, 0),
                Arguments.of(Behind.AN_IMPORT, 0),
                Arguments.of(Behind.A_LARGE_BODY_OF_A_ROUTE_WITHOUT_ONE, 0));
    }

    @Test
    void aRefusalIsInTheDialectOfItsRoute() throws Exception {
        Promise<RecallResponse> slow = Promise.promise();
        gateway.runtime.recall = request -> slow.future();
        try (Socket socket = gateway.connect()) {
            send(socket, post("/v1/recall", QUERY));
            var request = next(gateway.runtime.recalled);
            send(socket, Behind.A_LARGE_BODY.text(40_000_000));
            slow.complete(ScriptedRuntime.emptyAnswer(request));

            assertThat(Answer.read(socket).status()).isEqualTo(200);
            assertThat(Answer.read(socket).body()).contains("\"error\":{\"message\":\"too much was sent");
        }
        assertThat(gateway.get("/metrics").body())
                .contains("recallgate_http_failures_total{code=\"overloaded\",route=\"/v1/embeddings\"} 1.0");
    }

    @Test
    void aClientThatNeverEndsItsBodyHasItsAnswerAndIsThenSentAway() throws Exception {
        Promise<EmbedResult> slow = Promise.promise();
        gateway.runtime.embed = request -> slow.future();
        Endless endless = new Endless();
        try (Socket socket = gateway.connect()) {
            send(socket, post("/v1/embeddings", EMBEDDING));
            var request = next(gateway.runtime.embedded);
            endless.sendOn(socket);
            endless.await(16 << 20);

            slow.complete(ScriptedRuntime.vectors(request));

            assertThat(Answer.read(socket).body()).contains("\"embedding\"");
            assertThat(Answer.read(socket).status()).isEqualTo(429);
            // The gateway closes, which ends the writing.
            endless.join();
        }
        placesComeBack();
    }

    @Test
    void largeBodiesBehindQuickAnswersAreServed() throws Exception {
        String memory = post("/v1/memories", "{\"content\":\"x\"" + SPACES + "}");
        try (Socket socket = gateway.connect()) {
            sendInBackground(socket, LIVE + memory + LIVE + memory + post("/v1/recall", QUERY) + memory);

            assertThat(statuses(socket, 6)).containsExactly(200, 202, 200, 202, 200, 202);
        }
        assertThat(gateway.runtime.memories.count()).isEqualTo(3);
    }

    @Test
    void aLargeBodyIsServedWhenTheAnswerAheadComesBeforePatienceEnds() throws Exception {
        Promise<RecallResponse> soon = Promise.promise();
        gateway.runtime.recall = request -> soon.future();
        try (Socket socket = gateway.connect()) {
            send(socket, post("/v1/recall", QUERY));
            var request = next(gateway.runtime.recalled);
            sendInBackground(socket, post("/v1/memories", "{\"content\":\"x\"" + SPACES + "}") + LIVE);
            // Some round trips later reading has stopped.
            for (int i = 0; i < 20; i++) {
                gateway.get("/health/live");
            }
            soon.complete(ScriptedRuntime.emptyAnswer(request));

            assertThat(statuses(socket, 3)).containsExactly(200, 202, 200);
        }
        assertThat(gateway.runtime.memories.count()).isEqualTo(1);
    }

    @Test
    void thousandsOfSmallRequestsAreAnsweredInOrder() throws Exception {
        StringBuilder all = new StringBuilder();
        for (int i = 0; i < 3_000; i++) {
            all.append("GET /health/live HTTP/1.1\r\nhost: localhost\r\nx-request-id: n")
                    .append(i)
                    .append("\r\n\r\n");
        }
        try (Socket socket = gateway.connect()) {
            sendInBackground(socket, all.toString());

            for (int i = 0; i < 3_000; i++) {
                assertThat(Answer.read(socket).head()).contains("x-request-id: n" + i + "\r\n");
            }
        }
    }

    @Test
    void smallRequestsWaitForASlowAnswerAndAreAnsweredInOrder() throws Exception {
        Promise<EmbedResult> slow = Promise.promise();
        gateway.runtime.embed = request -> slow.future();
        try (Socket socket = gateway.connect()) {
            send(socket, post("/v1/embeddings", EMBEDDING));
            var request = next(gateway.runtime.embedded);
            for (int i = 0; i < 20; i++) {
                send(socket, LIVE + post("/v1/memories", "{\"content\":\"" + i + "\"}"));
            }
            // A large body on another connection comes and goes: what waits does not depend on it.
            assertThat(gateway.post("/v1/recall", QUERY + SPACES).statusCode()).isEqualTo(200);
            slow.complete(ScriptedRuntime.vectors(request));

            assertThat(Answer.read(socket).body()).contains("\"embedding\"");
            for (int i = 0; i < 20; i++) {
                assertThat(statuses(socket, 2)).containsExactly(200, 202);
            }
        }
        assertThat(gateway.runtime.memories.count()).isEqualTo(20);
    }

    /** HTTP/2 is not served, so that there is nothing there to bound. */
    @Test
    void http2IsNotServed() throws Exception {
        try (Socket socket = gateway.connect()) {
            send(socket, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");

            assertThat(Answer.read(socket).status()).isEqualTo(501);
        }
        try (Socket socket = gateway.connect()) {
            send(socket, """
                    GET /health/live HTTP/1.1
                    host: localhost
                    connection: upgrade, http2-settings
                    upgrade: h2c
                    http2-settings: AAMAAABkAAQAAP__

                    """.replace("\n", "\r\n"));

            assertThat(Answer.read(socket).status()).isEqualTo(200);
        }
    }

    private static List<Integer> statuses(Socket socket, int count) throws IOException {
        List<Integer> statuses = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            statuses.add(Answer.read(socket).status());
        }
        return statuses;
    }

    private void placesComeBack() {
        awaitMetric("recallgate_http_requests_in_flight 0.0");
        awaitMetric("recallgate_http_buffered_bytes 0.0");
    }

    /** Asks until it is there: each question is a round trip, so this does not spin. */
    private void awaitMetric(String line) {
        String scraped = "";
        for (int i = 0; i < 2_000; i++) {
            scraped = gateway.get("/metrics").body();
            if (scraped.contains(line)) {
                return;
            }
        }
        throw new AssertionError(line + " was never there in\n" + scraped);
    }

    private static String head(String request, String... headers) {
        return request + " HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n"
                + String.join("\r\n", headers) + "\r\n\r\n";
    }

    private static String post(String path, String body) {
        return head("POST " + path, "content-length: " + body.length()) + body;
    }

    private static void send(Socket socket, String text) throws IOException {
        socket.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
    }

    private static void sendInBackground(Socket socket, String text) {
        Thread sender = new Thread(() -> {
            try {
                send(socket, text);
            } catch (IOException e) {
                // The reader finds out.
            }
        });
        sender.setDaemon(true);
        sender.start();
    }

    /** One answer with a length, or in chunks. */
    private record Answer(int status, String head, String body) {

        static Answer read(Socket socket) throws IOException {
            InputStream in = socket.getInputStream();
            StringBuilder head = new StringBuilder();
            while (!head.toString().endsWith("\r\n\r\n")) {
                int c = in.read();
                assertThat(c).as("a byte of a head after " + head).isNotEqualTo(-1);
                head.append((char) c);
            }
            int length = head.toString()
                    .lines()
                    .filter(line -> line.startsWith("content-length: "))
                    .mapToInt(line -> Integer.parseInt(line.substring(16)))
                    .findFirst()
                    .orElse(0);
            return new Answer(
                    Integer.parseInt(head.substring(9, 12)),
                    head.toString(),
                    new String(in.readNBytes(length), StandardCharsets.UTF_8));
        }
    }

    /** A chunked body without an end, sent until the connection closes. */
    private static final class Endless {

        private final Thread sender = new Thread(this::send);
        private final CompletableFuture<Socket> to = new CompletableFuture<>();
        private long sent;

        void sendOn(Socket socket) {
            to.complete(socket);
            sender.setDaemon(true);
            sender.start();
        }

        private void send() {
            ByteArrayOutputStream chunk = new ByteArrayOutputStream();
            chunk.writeBytes("10000\r\n".getBytes(StandardCharsets.US_ASCII));
            chunk.writeBytes(" ".repeat(0x10000).getBytes(StandardCharsets.US_ASCII));
            chunk.writeBytes("\r\n".getBytes(StandardCharsets.US_ASCII));
            try {
                var out = to.join().getOutputStream();
                out.write(head("POST /v1/embeddings", "transfer-encoding: chunked")
                        .getBytes(StandardCharsets.US_ASCII));
                while (true) {
                    chunk.writeTo(out);
                    add(chunk.size());
                }
            } catch (IOException closed) {
                add(0);
            }
        }

        private synchronized void add(int bytes) {
            sent += bytes;
            notifyAll();
        }

        synchronized void await(long bytes) throws InterruptedException {
            while (sent < bytes && sender.isAlive()) {
                wait(1_000);
            }
            assertThat(sent).isGreaterThanOrEqualTo(bytes);
        }

        void join() throws InterruptedException {
            sender.join(10_000);
            assertThat(sender.isAlive()).isFalse();
        }
    }
}
