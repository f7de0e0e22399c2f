package io.recallgate.gateway.http;

import static io.recallgate.gateway.http.Wire.EMBEDDING;
import static io.recallgate.gateway.http.Wire.QUERY;
import static io.recallgate.gateway.http.Wire.head;
import static io.recallgate.gateway.http.Wire.next;
import static io.recallgate.gateway.http.Wire.post;
import static io.recallgate.gateway.http.Wire.send;
import static io.recallgate.gateway.http.Wire.statusLine;
import static org.assertj.core.api.Assertions.assertThat;

import io.recallgate.embedding.api.EmbedResult;
import io.recallgate.embedding.api.EmbeddingVector;
import io.recallgate.gateway.http.pipeline.HttpOptions;
import io.recallgate.gateway.postgres.Eventually;
import io.recallgate.recall.api.ExportPage;
import io.recallgate.recall.api.RecallResponse;
import io.recallgate.time.CancelCause;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.io.IOException;
import java.net.Socket;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Clients that leave, or stop reading, while their request is read, worked on or answered. */
@Timeout(300)
class LeavingClientsTest {

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

        assertThat(cancelled.get(60, TimeUnit.SECONDS)).isEqualTo(CancelCause.DISCONNECTED);
        never.fail("cancelled");
        gateway.placesComeBack();
        assertThat(gateway.runtime.embedded).isEmpty();
    }

    @Test
    void aClientThatLeavesInTheMiddleOfAnEndlessBodyCancelsTheEmbeddingAhead() throws Exception {
        Promise<EmbedResult> never = Promise.promise();
        gateway.runtime.embed = request -> never.future();
        CompletableFuture<CancelCause> cancelled = new CompletableFuture<>();
        EndlessBody endless = new EndlessBody();
        try (Socket socket = gateway.connect()) {
            send(socket, post("/v1/embeddings", EMBEDDING));
            next(gateway.runtime.embedded).cancel().onCancel(cancelled::complete);
            endless.sendOn(socket);
            // Far more than anybody keeps: the gateway reads on.
            endless.await(64 << 20);
            assertThat(cancelled).isNotDone();
        }

        assertThat(cancelled.get(60, TimeUnit.SECONDS)).isEqualTo(CancelCause.DISCONNECTED);
        never.fail("cancelled");
        gateway.placesComeBack();
        endless.join();
    }

    @ParameterizedTest
    @EnumSource(names = {"NOTHING", "A_LARGE_BODY"})
    void aClientThatLeavesCancelsItsRecall(Behind behind) throws Exception {
        Promise<RecallResponse> never = Promise.promise();
        gateway.runtime.recall = request -> never.future();
        CompletableFuture<CancelCause> cancelled = new CompletableFuture<>();
        try (Socket socket = gateway.connect()) {
            send(socket, post("/v1/recall", QUERY));
            var request = next(gateway.runtime.recalled);
            request.cancel().onCancel(cancelled::complete);
            send(socket, behind.text(1_000_000));
        }

        assertThat(cancelled.get(60, TimeUnit.SECONDS)).isEqualTo(CancelCause.DISCONNECTED);
        never.fail("cancelled");
        gateway.placesComeBack();
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
            asked.get(60, TimeUnit.SECONDS);
            send(socket, Behind.A_LARGE_BODY.text(1_000_000));
        }

        gateway.awaitMetric("method=\"GET\",route=\"/v1/export\",status=\"499\"");
        part.fail("cancelled");
        gateway.placesComeBack();
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
            assertThat(gateway.runtime.memories.restored.poll(60, TimeUnit.SECONDS))
                    .isNotNull();
            send(socket, Behind.A_LARGE_BODY.text(1_000_000));
        }

        gateway.awaitMetric("method=\"POST\",route=\"/v1/memories/import\",status=\"499\"");
        stored.fail("cancelled");
        gateway.placesComeBack();
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
            send(socket, head("GET /v1/export", "content-length: 1000000") + " ".repeat(1_000_000));
            asked.get(60, TimeUnit.SECONDS);
        }

        gateway.awaitMetric("method=\"GET\",route=\"/v1/export\",status=\"499\"");
        part.fail("cancelled");
        gateway.placesComeBack();
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
            send(socket, head("POST " + path, "content-length: 5000"));
            send(socket, beginning);
            gateway.awaitMetric("recallgate_http_buffered_bytes 5000.0");
        }
        gateway.placesComeBack();
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

        gateway.placesComeBack();
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
        send(socket, post("/v1/embeddings", EMBEDDING.replace("\"x\"", inputs)));
        assertThat(statusLine(socket)).startsWith("HTTP/1.1 200 ");
        return socket;
    }

    private static float[] halves(int dimensions) {
        float[] values = new float[dimensions];
        Arrays.fill(values, (float) (1 / Math.sqrt(dimensions)));
        return values;
    }
}
