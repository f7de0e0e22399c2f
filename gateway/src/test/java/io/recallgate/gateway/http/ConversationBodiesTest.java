package io.recallgate.gateway.http;

import static io.recallgate.gateway.http.UpstreamStub.path;
import static org.assertj.core.api.Assertions.assertThat;

import io.recallgate.gateway.conversation.turn.Protocol;
import io.recallgate.gateway.http.pipeline.HttpOptions;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.zip.Deflater;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Bodies of conversations: large, compressed, malformed, slow. */
@Timeout(300)
class ConversationBodiesTest {

    private static final String JSON = "{\"model\":\"m\",\"messages\":[]}";

    private UpstreamStub upstream;
    private TestGateway gateway;

    @BeforeEach
    void start() {
        upstream = new UpstreamStub();
        gateway = new TestGateway(upstream.conversation());
        gateway.patience = Duration.ofSeconds(60);
    }

    @AfterEach
    void stop() {
        try {
            gateway.placesComeBack();
            gateway.awaitMetric("recallgate_turn_active 0.0");
        } finally {
            gateway.close();
            upstream.close();
        }
    }

    private HttpResponse<String> send(Protocol protocol, byte[] body, String... headers) {
        return gateway.stream("POST", path(protocol), BodyPublishers.ofByteArray(body), headers);
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static byte[] compressed(String coding, byte[] plain) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        Deflater bare = new Deflater(Deflater.BEST_COMPRESSION, true);
        try (OutputStream to =
                switch (coding) {
                    case "gzip" -> new GZIPOutputStream(out);
                    case "deflate" -> new DeflaterOutputStream(out);
                    default -> new DeflaterOutputStream(out, bare);
                }) {
            to.write(plain);
        }
        bare.end();
        return out.toByteArray();
    }

    @ParameterizedTest
    @EnumSource
    void aBodyOf32MebibytesPassesAndOneByteMoreIsA413(Protocol protocol) throws Exception {
        byte[] most = new byte[32 << 20];
        Arrays.fill(most, (byte) ' ');
        byte[] json = utf8(JSON);
        System.arraycopy(json, 0, most, 0, json.length);

        assertThat(send(protocol, most).statusCode()).isEqualTo(200);
        assertThat(upstream.next().body().getBytes()).isEqualTo(most);
        HttpResponse<String> more = send(protocol, Arrays.copyOf(most, most.length + 1));
        assertThat(more.statusCode()).isEqualTo(413);
        assertThat(more.body()).contains(protocol == Protocol.OPENAI ? "payload_too_large" : "request_too_large");
    }

    @ParameterizedTest
    @ValueSource(strings = {"gzip", "deflate", "bare deflate"})
    void aCompressedBodyIsSentInflated(String how) throws Exception {
        String large = "{\"model\":\"m\",\"messages\":[\"" + "word ".repeat(500_000) + "\"]}";

        HttpResponse<String> answer = send(
                Protocol.ANTHROPIC,
                compressed(how, utf8(large)),
                "content-encoding",
                how.substring(how.lastIndexOf(' ') + 1));

        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        var request = upstream.next();
        assertThat(request.body().toString()).isEqualTo(large);
        assertThat(request.headers().get("content-encoding")).isNull();
    }

    @ParameterizedTest
    @ValueSource(strings = {"gzip", "deflate"})
    void aBodyThatInflatesBeyondTheLimitIsA413AndTakesNoMemory(String coding) throws Exception {
        byte[] zeros = new byte[1 << 20];
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (OutputStream to = coding.equals("gzip") ? new GZIPOutputStream(out) : new DeflaterOutputStream(out)) {
            for (int i = 0; i < 200; i++) {
                to.write(zeros);
            }
        }
        assertThat(out.size()).isLessThan(1 << 20);

        assertThat(send(Protocol.OPENAI, out.toByteArray(), "content-encoding", coding)
                        .statusCode())
                .isEqualTo(413);
        assertThat(upstream.received).isEmpty();
    }

    @ParameterizedTest
    @EnumSource
    void aDamagedOrCutBodyIsA400ThatNamesTheCoding(Protocol protocol) throws Exception {
        byte[] whole = compressed("gzip", utf8("{\"x\":\"" + "abc".repeat(1_000) + "\"}"));
        byte[] damaged = whole.clone();
        damaged[whole.length / 2] ^= 0x55;

        for (byte[] body : new byte[][] {damaged, Arrays.copyOf(whole, whole.length - 6), utf8(JSON), new byte[0]}) {
            HttpResponse<String> answer = send(protocol, body, "content-encoding", "gzip");
            assertThat(answer.statusCode()).as(answer.body()).isEqualTo(400);
            assertThat(answer.body()).contains("gzip").contains("invalid_request_error");
        }
        assertThat(upstream.received).isEmpty();
    }

    @Test
    void anotherCodingIsA415AndNativeRoutesTakeNone() throws Exception {
        assertThat(send(Protocol.OPENAI, utf8(JSON), "content-encoding", "br").statusCode())
                .isEqualTo(415);
        assertThat(send(Protocol.OPENAI, utf8(JSON), "content-type", "text/plain")
                        .statusCode())
                .isEqualTo(415);
        HttpResponse<String> nativeRoute = gateway.stream(
                "POST",
                "/v1/memories",
                BodyPublishers.ofByteArray(compressed("gzip", utf8("{\"content\":\"x\"}"))),
                "content-encoding",
                "gzip");
        assertThat(nativeRoute.statusCode()).isEqualTo(415);
    }

    @ParameterizedTest
    @EnumSource
    void whatIsNoJsonObjectIsA400InTheDialectsShape(Protocol protocol) {
        byte[] notUtf8 = utf8("{\"x\":\"?\"}");
        notUtf8[6] = (byte) 0xff;
        for (byte[] body : new byte[][] {
            utf8("{\"x\":" + "[".repeat(300) + "]".repeat(300) + "}"),
            utf8("{\"x\":" + "[".repeat(100_000)),
            notUtf8,
            utf8("[]"),
            utf8(""),
            utf8("{\"x\":1"),
            utf8("{} {}")
        }) {
            HttpResponse<String> answer = send(protocol, body);
            assertThat(answer.statusCode()).as(answer.body()).isEqualTo(400);
            assertThat(answer.body()).contains("invalid_request_error");
        }
        assertThat(upstream.received).isEmpty();
    }

    @Test
    void aBodyNestedAsDeepAsSchemasAreIsSent() {
        byte[] deep = utf8("{\"x\":" + "[".repeat(200) + "]".repeat(200) + "}");

        assertThat(send(Protocol.OPENAI, deep).statusCode()).isEqualTo(200);
    }

    @ParameterizedTest
    @EnumSource
    void aSlowBodyIsA408InTheDialectsShape(Protocol protocol) throws Exception {
        gateway.options =
                new HttpOptions(900_000, HttpOptions.Bodies.NATIVE, new HttpOptions.Bodies(1 << 20, 100, 1 << 20), 10);
        try (Socket socket = gateway.connect()) {
            Wire.send(socket, Wire.head("POST " + path(protocol), "content-length: 100") + "{");

            String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

            assertThat(answer).startsWith("HTTP/1.1 408 ").contains("invalid_request_error");
        }
    }

    @Test
    void bodiesOfConversationsHaveAQuotaOfTheirOwn() throws Exception {
        HttpOptions.Bodies small = new HttpOptions.Bodies(1_000, 30_000, 1_500);
        gateway.options = new HttpOptions(900_000, small, small, 10);
        try (Socket socket = gateway.connect()) {
            Wire.send(socket, Wire.head("POST " + path(Protocol.OPENAI), "content-length: 900"));
            gateway.awaitMetric("recallgate_http_buffered_bytes 900.0");

            HttpResponse<String> refused = gateway.post(path(Protocol.OPENAI), "{\"x\":\"" + "x".repeat(800) + "\"}");
            assertThat(refused.statusCode()).isEqualTo(429);
            assertThat(refused.headers().firstValue("retry-after")).isPresent();
            byte[] inflating = compressed("gzip", utf8("{\"x\":\"" + "x".repeat(800) + "\"}"));
            assertThat(send(Protocol.OPENAI, inflating, "content-encoding", "gzip")
                            .statusCode())
                    .isEqualTo(429);
            assertThat(gateway.post("/v1/memories", "{\"content\":\"" + "x".repeat(800) + "\"}")
                            .statusCode())
                    .isEqualTo(202);
        }
    }
}
