package io.recallgate.gateway.http;

import static io.recallgate.gateway.http.Wire.head;
import static io.recallgate.gateway.http.Wire.next;
import static io.recallgate.gateway.http.Wire.send;
import static io.recallgate.gateway.http.Wire.statusLine;
import static org.assertj.core.api.Assertions.assertThat;

import io.recallgate.gateway.http.pipeline.HttpOptions;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How much of a body is taken, how long it may take, and what is said about more. */
class BodyLimitsTest {

    private TestGateway gateway;

    @BeforeEach
    void start() {
        gateway = new TestGateway();
    }

    @AfterEach
    void stop() {
        gateway.close();
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
            send(socket, head("POST /v1/memories", "transfer-encoding: chunked"));
            byte[] chunk = ("1000\r\n" + "x".repeat(0x1000) + "\r\n").getBytes(StandardCharsets.US_ASCII);
            for (int i = 0; i < 20; i++) {
                out.write(chunk);
            }
            out.flush();

            assertThat(statusLine(socket)).isEqualTo("HTTP/1.1 413 Request Entity Too Large");
        }
        gateway.placesComeBack();
    }

    @Test
    void aBodyAnnouncedTooLargeIsRefusedBeforeItIsSent() throws IOException {
        try (Socket socket = gateway.connect()) {
            send(socket, head("POST /v1/memories", "expect: 100-continue", "content-length: 9000000"));

            assertThat(statusLine(socket)).startsWith("HTTP/1.1 413 ");
        }
    }

    @Test
    void aClientThatAsksFirstIsToldToContinue() throws IOException {
        String body = "{\"content\":\"x\"}";
        try (Socket socket = gateway.connect()) {
            send(socket, head("POST /v1/memories", "expect: 100-continue", "content-length: " + body.length()));
            assertThat(statusLine(socket)).isEqualTo("HTTP/1.1 100 Continue");
            assertThat(statusLine(socket)).isEmpty();

            send(socket, body);

            assertThat(statusLine(socket)).startsWith("HTTP/1.1 202 ");
        }
    }

    @Test
    void aDeadlineThatPassesInTheMiddleOfABodyIsAnsweredAndFreesWhatItHeld() throws IOException {
        try (Socket socket = gateway.connect()) {
            send(socket, head("POST /v1/embeddings", "content-length: 100", "x-recallgate-deadline-ms: 100"));
            send(socket, "{\"input\":");

            assertThat(statusLine(socket)).startsWith("HTTP/1.1 504 ");
            gateway.awaitMetric("recallgate_http_buffered_bytes 0.0");
            // A client that never ends its body is sent away, as after any refusal.
            socket.getInputStream().readAllBytes();
        }
        gateway.placesComeBack();
    }

    @Test
    void aBodyThatDoesNotArriveInTimeIsA408AndTheConnectionEnds() throws IOException {
        gateway.options = new HttpOptions(900_000, 1 << 20, 100, 1 << 20, 10);
        try (Socket socket = gateway.connect()) {
            send(socket, head("POST /v1/memories", "content-length: 100"));
            send(socket, "{\"content\":");

            assertThat(statusLine(socket)).startsWith("HTTP/1.1 408 ");
            socket.getInputStream().readAllBytes();
        }
        gateway.placesComeBack();
    }

    @Test
    void bodiesThatWouldExceedTheMemoryForThemAreRefusedForNow() throws IOException {
        gateway.options = new HttpOptions(900_000, 1_000, 30_000, 1_500, 10);
        try (Socket socket = gateway.connect()) {
            send(socket, head("POST /v1/memories", "content-length: 900"));
            gateway.awaitMetric("recallgate_http_buffered_bytes 900.0");

            HttpResponse<String> refused = gateway.post("/v1/memories", "{\"content\":\"" + "x".repeat(800) + "\"}");

            assertThat(refused.statusCode()).isEqualTo(429);
            assertThat(refused.headers().firstValue("retry-after")).isPresent();
        }
        gateway.placesComeBack();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 300_000, 4_000_000})
    void bodiesOfEverySizeAreDecodedWhole(int length) throws InterruptedException {
        assertThat(gateway.post("/v1/recall", "{\"query\":\"x\"" + " ".repeat(length) + "}")
                        .statusCode())
                .isEqualTo(200);
        assertThat(next(gateway.runtime.recalled).query()).isEqualTo("x");
    }
}
