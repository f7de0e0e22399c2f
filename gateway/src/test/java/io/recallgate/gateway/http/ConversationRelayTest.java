package io.recallgate.gateway.http;

import static io.recallgate.gateway.http.UpstreamStub.path;
import static io.recallgate.gateway.http.UpstreamStub.stream;
import static io.recallgate.gateway.http.Wire.head;
import static io.recallgate.gateway.http.Wire.send;
import static org.assertj.core.api.Assertions.assertThat;

import io.recallgate.gateway.conversation.turn.Protocol;
import io.vertx.core.http.HttpServerResponse;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.Socket;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** A conversation to its provider and back: bytes, headers and streams. */
@Timeout(300)
class ConversationRelayTest {

    /** Odd on purpose: whoever parses and writes it again changes it. */
    private static final String ODD = "{ \"model\":\"m\",\n\"unknown\" : [1.0e2,{\"type\":\"no such block\"}] ,"
            + "\"messages\":[ {\"role\":\"user\",\"content\":\"gr\u00fc\u00df\\u00e9 \\ud83d\"}]}\n";

    private UpstreamStub upstream;
    private TestGateway gateway;

    @BeforeEach
    void start() {
        upstream = new UpstreamStub();
        gateway = new TestGateway(upstream.conversation());
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

    @ParameterizedTest
    @EnumSource
    void theProviderGetsTheVeryBytesAndTheHeadersThatAreIts(Protocol protocol) throws Exception {
        gateway.post(
                path(protocol) + "?beta=true&x=%20",
                ODD,
                "authorization",
                "Bearer sk-provider",
                "x-api-key",
                "sk-ant",
                "anthropic-beta",
                "b1,b2",
                "x-unknown",
                "kept",
                "accept-encoding",
                "gzip",
                "cookie",
                "a=b",
                "x-forwarded-for",
                "10.0.0.1",
                "x-recallgate-key",
                "k",
                "x-recallgate-memory",
                "off",
                "x-recallgate-session",
                "s 1");

        var request = upstream.next();
        assertThat(request.body().toString()).isEqualTo(ODD);
        assertThat(request.target()).isEqualTo(path(protocol) + "?beta=true&x=%20");
        assertThat(request.headers().get("host")).isEqualTo("127.0.0.1:" + upstream.port);
        assertThat(request.headers().get("authorization")).isEqualTo("Bearer sk-provider");
        assertThat(request.headers().get("x-api-key")).isEqualTo("sk-ant");
        assertThat(request.headers().get("anthropic-beta")).isEqualTo("b1,b2");
        assertThat(request.headers().get("x-unknown")).isEqualTo("kept");
        assertThat(request.headers().get("content-type")).isEqualTo("application/json");
        assertThat(request.headers().getAll("accept-encoding")).containsExactly("identity");
        assertThat(request.headers().getAll("content-length"))
                .containsExactly(Integer.toString(ODD.getBytes(StandardCharsets.UTF_8).length));
        assertThat(request.headers().names().stream().map(String::toLowerCase))
                .noneMatch(name -> name.startsWith("x-recallgate-") || name.startsWith("x-forwarded-"))
                .doesNotContain("cookie", "transfer-encoding", "http2-settings", "upgrade");
    }

    @ParameterizedTest
    @CsvSource({"OPENAI,200", "OPENAI,401", "OPENAI,429", "ANTHROPIC,200", "ANTHROPIC,500", "ANTHROPIC,529"})
    void theAnswerIsTheProvidersWithOurLabels(Protocol protocol, int status) {
        String said = "{\"whatever\": \"it says\"}";
        upstream.answer = (request, response) -> response.setStatusCode(status)
                .putHeader("content-type", "application/json; v=1")
                .putHeader("x-request-id", "req_provider")
                .putHeader("request-id", "req_ant")
                .putHeader("retry-after", "17")
                .putHeader("x-ratelimit-remaining-tokens", "3")
                .putHeader("anthropic-ratelimit-requests-limit", "50")
                .putHeader("x-recallgate-window", "not the provider's to say")
                .putHeader("strict-transport-security", "max-age=1")
                .putHeader("connection", "x-hop")
                .putHeader("x-hop", "1")
                .end(said);

        HttpResponse<String> answer = gateway.post(path(protocol), "{}", "x-request-id", "mine-1");

        assertThat(answer.statusCode()).isEqualTo(status);
        assertThat(answer.body()).isEqualTo(said);
        assertThat(answer.headers().firstValue("content-type")).contains("application/json; v=1");
        assertThat(answer.headers().firstValue("content-length")).contains(Integer.toString(said.length()));
        assertThat(answer.headers().allValues("x-request-id")).containsExactly("req_provider");
        assertThat(answer.headers().firstValue("x-recallgate-request-id")).contains("mine-1");
        assertThat(answer.headers().firstValue("request-id")).contains("req_ant");
        assertThat(answer.headers().firstValue("retry-after")).contains("17");
        assertThat(answer.headers().firstValue("x-ratelimit-remaining-tokens")).contains("3");
        assertThat(answer.headers().firstValue("anthropic-ratelimit-requests-limit"))
                .contains("50");
        assertThat(answer.headers().allValues("x-recallgate-window")).containsExactly("passthrough");
        assertThat(answer.headers().firstValue("x-recallgate-memories")).contains("0");
        assertThat(answer.headers().firstValue("server-timing").orElseThrow())
                .matches("admit;dur=.*, decode;dur=.*, assemble;dur=.*, forward;dur=[0-9.]+");
        assertThat(answer.headers().map().keySet()).doesNotContain("x-hop", "strict-transport-security");
    }

    @Test
    void eventsPassOneByOneWhileTheProviderIsStillSending() throws Exception {
        CompletableFuture<HttpServerResponse> open = new CompletableFuture<>();
        upstream.answer = (request, response) -> open.complete(stream(response));
        try (Socket socket = gateway.connect()) {
            send(socket, Wire.post(path(Protocol.OPENAI), "{\"stream\":true}"));
            HttpServerResponse sending = open.get(60, TimeUnit.SECONDS);
            BufferedReader in =
                    new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
            for (int i = 0; i < 5; i++) {
                sending.write("data: {\"n\":" + i + "}\n\n");
                assertThat(until(in, "data: ")).isEqualTo("data: {\"n\":" + i + "}");
            }
            sending.end("data: [DONE]\n\n");
            assertThat(until(in, "data: ")).isEqualTo("data: [DONE]");
            assertThat(until(in, "0")).isEqualTo("0");
        }
        gateway.awaitMetric("recallgate_turns_total{outcome=\"completed\",protocol=\"openai\"} 1.0");
    }

    private static String until(BufferedReader in, String start) throws IOException {
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            if (line.startsWith(start)) {
                return line;
            }
        }
        throw new AssertionError("the stream ended before " + start);
    }

    @Test
    void aSlowReaderHoldsTheProviderBackAndGetsEverything() throws Exception {
        int pieces = 2_000;
        String piece = "data: " + "x".repeat(32 * 1024) + "\n\n";
        CompletableFuture<HttpServerResponse> open = new CompletableFuture<>();
        upstream.answer = (request, response) -> open.complete(stream(response));
        try (Socket socket = gateway.connect()) {
            send(socket, head("POST " + path(Protocol.ANTHROPIC), "content-length: 2") + "{}");
            HttpServerResponse sending = open.get(60, TimeUnit.SECONDS);
            CompletableFuture<Void> all = new CompletableFuture<>();
            Sender sender = new Sender(sending, piece, pieces, all);
            sender.run();
            // More than the sockets' buffers take: it comes to a stand, and what is not read stays with the provider.
            int before = -1;
            while (sender.sent.get() != before) {
                before = sender.sent.get();
                for (int i = 0; i < 100; i++) {
                    gateway.get("/metrics");
                }
            }
            assertThat(before).isLessThan(pieces);

            long read = 0;
            byte[] buffer = new byte[1 << 20];
            var in = socket.getInputStream();
            while (read < (long) pieces * piece.length()) {
                int n = in.read(buffer);
                assertThat(n).isPositive();
                read += n;
            }
            all.get(60, TimeUnit.SECONDS);
        }
    }

    /** Writes until the queue is full, and goes on when it has drained. */
    private static final class Sender {

        private final HttpServerResponse to;
        private final String piece;
        private final int pieces;
        private final CompletableFuture<Void> all;
        private final AtomicInteger sent = new AtomicInteger();

        Sender(HttpServerResponse to, String piece, int pieces, CompletableFuture<Void> all) {
            this.to = to;
            this.piece = piece;
            this.pieces = pieces;
            this.all = all;
        }

        void run() {
            to.drainHandler(drained -> run());
            while (sent.get() < pieces && !to.writeQueueFull()) {
                to.write(piece);
                sent.incrementAndGet();
            }
            if (sent.get() == pieces && !all.isDone()) {
                to.end();
                all.complete(null);
            }
        }
    }
}
