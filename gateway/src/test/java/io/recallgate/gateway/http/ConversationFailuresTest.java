package io.recallgate.gateway.http;

import static io.recallgate.gateway.http.UpstreamStub.path;
import static io.recallgate.gateway.http.UpstreamStub.stream;
import static io.recallgate.gateway.http.Wire.send;
import static org.assertj.core.api.Assertions.assertThat;

import io.recallgate.gateway.conversation.turn.Protocol;
import io.recallgate.gateway.conversation.upstream.UpstreamOptions;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.json.JsonObject;
import io.vertx.core.net.PfxOptions;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Each way in which a conversation can fail, in either protocol, and what its client, the metrics and the provider see of it. */
@Timeout(300)
class ConversationFailuresTest {

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
    void aStreamThatBreaksOffEndsWithAnErrorThatItsClientsRead(Protocol protocol) {
        upstream.answer = (request, response) -> stream(response)
                .write("event: x\ndata: {\"n\":1}\n\ndata: {\"half")
                .onComplete(sent -> response.reset());

        HttpResponse<String> answer = gateway.post(path(protocol), "{\"stream\":true}");

        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.body()).startsWith("event: x\ndata: {\"n\":1}\n\n").doesNotContain("half");
        assertErrorEvent(protocol, answer.body(), "upstream_failed", "api_error");
        gateway.awaitMetric("recallgate_turns_total{outcome=\"upstream-failed\",protocol=\""
                + protocol.name().toLowerCase(Locale.ROOT) + "\"} 1.0");
    }

    private static void assertErrorEvent(Protocol protocol, String body, String openAiCode, String anthropicType) {
        String last = body.substring(body.lastIndexOf("\n\n", body.length() - 3) + 2);
        JsonObject data = new JsonObject(last.substring(last.indexOf("data: ") + 6));
        if (protocol == Protocol.OPENAI) {
            assertThat(last).startsWith("data: ").endsWith("\n\n");
            assertThat(data.getJsonObject("error").getString("code")).isEqualTo(openAiCode);
        } else {
            assertThat(last).startsWith("event: error\ndata: ").endsWith("\n\n");
            assertThat(data.getString("type")).isEqualTo("error");
            assertThat(data.getJsonObject("error").getString("type")).isEqualTo(anthropicType);
        }
    }

    @ParameterizedTest
    @EnumSource
    void anAnswerWithoutStreamThatBreaksOffIsCut(Protocol protocol) throws Exception {
        upstream.answer = (request, response) ->
                response.putHeader("content-length", "100").write("{\"half\":").onComplete(sent -> response.reset());
        try (Socket socket = gateway.connect()) {
            send(socket, Wire.post(path(protocol), "{}"));

            assertThat(new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                    .startsWith("HTTP/1.1 200 OK")
                    .endsWith("{\"half\":");
        }
        gateway.awaitMetric("outcome=\"upstream-failed\"");
    }

    @ParameterizedTest
    @EnumSource
    void aProviderThatRefusesIsA502AndOneThatClosesIsToo(Protocol protocol) throws Exception {
        upstream.onHead = request -> request.connection().close();
        assertFailure(protocol, 502, "upstream_failed", "api_error");
        gateway.runtime.conversation = ScriptedRuntime.CONVERSATION; // Nobody listens there.
        assertFailure(protocol, 502, "upstream_failed", "api_error");
        gateway.runtime.conversation = UpstreamStub.conversation(ScriptedRuntime.CONVERSATION
                .upstream()
                .with(protocol, URI.create("https://127.0.0.1:" + upstream.port)));
        assertFailure(protocol, 502, "upstream_failed", "api_error");
        gateway.awaitMetric("recallgate_http_failures_total{code=\"upstream-failed\"");
    }

    /** Its queue of connections is full, so that the next one is not even refused. */
    @Test
    void aProviderThatTakesNoConnectionIsAnUpstreamTimeout() throws Exception {
        List<Socket> queue = new ArrayList<>();
        try (ServerSocket listening = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            for (int i = 0; i < 8; i++) {
                Socket socket = new Socket();
                queue.add(socket);
                try {
                    socket.connect(listening.getLocalSocketAddress(), 200);
                } catch (SocketTimeoutException full) {
                    break;
                }
            }
            URI url = URI.create("http://127.0.0.1:" + listening.getLocalPort());
            try (TestGateway impatient = new TestGateway(
                    UpstreamStub.conversation(new UpstreamOptions(false, url, url, 300, 60_000, 60_000)))) {
                HttpResponse<String> answer = impatient.post(path(Protocol.ANTHROPIC), "{}");

                assertThat(answer.statusCode()).isEqualTo(504);
                assertThat(answer.body()).contains("timeout_error").contains("no connection to the provider");
                impatient.placesComeBack();
            }
        } finally {
            for (Socket socket : queue) {
                socket.close();
            }
        }
    }

    @Test
    void aProviderWhoseCertificateNobodyVouchesForIsSentNothing(@TempDir Path directory) throws Exception {
        Path keys = directory.resolve("keys.p12");
        Process keytool = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "keytool")
                                .toString(),
                        "-genkeypair",
                        "-keyalg",
                        "EC",
                        "-dname",
                        "CN=localhost",
                        "-ext",
                        "san=dns:localhost,ip:127.0.0.1",
                        "-storetype",
                        "PKCS12",
                        "-keystore",
                        keys.toString(),
                        "-storepass",
                        "changeit")
                .inheritIO()
                .start();
        assertThat(keytool.waitFor(60, TimeUnit.SECONDS)).isTrue();
        try (UpstreamStub secure = new UpstreamStub(new HttpServerOptions()
                .setSsl(true)
                .setKeyCertOptions(new PfxOptions().setPath(keys.toString()).setPassword("changeit")))) {
            gateway.runtime.conversation = UpstreamStub.conversation(ScriptedRuntime.CONVERSATION
                    .upstream()
                    .with(Protocol.OPENAI, URI.create("https://127.0.0.1:" + secure.port)));

            assertFailure(Protocol.OPENAI, 502, "upstream_failed", "api_error");

            assertThat(gateway.post(path(Protocol.OPENAI), "{}").body()).contains("the handshake failed");
            assertThat(secure.received).isEmpty();
        }
    }

    private void assertFailure(Protocol protocol, int status, String openAiCode, String anthropicType) {
        HttpResponse<String> answer = gateway.post(path(protocol), "{}");
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(status);
        JsonObject error = TestGateway.json(answer).getJsonObject("error");
        if (protocol == Protocol.OPENAI) {
            assertThat(error.getString("code")).isEqualTo(openAiCode);
        } else {
            assertThat(error.getString("type")).isEqualTo(anthropicType);
        }
    }

    @ParameterizedTest
    @EnumSource
    void aProviderThatDoesNotAnswerInTimeIsAnUpstreamTimeoutAndItsConnectionEnds(Protocol protocol) throws Exception {
        gateway.runtime.conversation = upstream.conversation(3_000, 60_000);
        upstream.answer = (request, response) -> {};

        assertFailure(protocol, 504, "upstream_timeout", "timeout_error");

        upstream.next().closed().get(60, TimeUnit.SECONDS);
        gateway.awaitMetric("recallgate_turns_total{outcome=\"upstream-timeout\"");
        assertThat(gateway.get("/metrics").body())
                .contains("recallgate_upstream_requests_total{outcome=\"upstream-timeout\"");
    }

    @ParameterizedTest
    @EnumSource
    void aProviderThatFallsSilentEndsTheStreamWithAnUpstreamTimeout(Protocol protocol) throws Exception {
        gateway.runtime.conversation = upstream.conversation(60_000, 1_500);
        upstream.answer = (request, response) -> stream(response).write("data: {\"n\":1}\n\n");

        HttpResponse<String> answer = gateway.post(path(protocol), "{\"stream\":true}");

        assertThat(answer.body()).startsWith("data: {\"n\":1}\n\n");
        assertErrorEvent(protocol, answer.body(), "upstream_timeout", "timeout_error");
        upstream.next().closed().get(60, TimeUnit.SECONDS);
    }

    @ParameterizedTest
    @EnumSource
    void theCallersDeadlineIsA504OfItsOwnBeforeTheAnswerAndAnEventInIt(Protocol protocol) throws Exception {
        // The first request of a process takes its time.
        gateway.post(path(protocol), "{}");
        upstream.next();
        upstream.answer = (request, response) -> {};
        HttpResponse<String> before = gateway.post(path(protocol), "{}", "x-recallgate-deadline-ms", "5000");
        assertThat(before.statusCode()).isEqualTo(504);
        assertThat(before.body()).contains(protocol == Protocol.OPENAI ? "deadline_exceeded" : "timeout_error");
        upstream.next().closed().get(60, TimeUnit.SECONDS);

        upstream.answer = (request, response) -> stream(response).write("data: {\"n\":1}\n\n");
        HttpResponse<String> within =
                gateway.post(path(protocol), "{\"stream\":true}", "x-recallgate-deadline-ms", "5000");
        assertThat(within.body()).startsWith("data: {\"n\":1}\n\n");
        assertErrorEvent(protocol, within.body(), "deadline_exceeded", "timeout_error");
        upstream.next().closed().get(60, TimeUnit.SECONDS);
        gateway.awaitMetric("outcome=\"deadline\",protocol=\"" + protocol.name().toLowerCase(Locale.ROOT) + "\"} 2.0");
    }

    @Test
    void anAnswerBeforeTheBodyIsReadIsPassedOn() throws Exception {
        upstream.onHead = request -> request.response().setStatusCode(413).end("{\"error\":\"too large\"}");
        String large = "{\"messages\":\"" + "x".repeat(8_000_000) + "\"}";

        assertThat(gateway.post(path(Protocol.OPENAI), large).statusCode()).isIn(413, 502);

        upstream.onHead = upstream::readAndAnswer;
        HttpResponse<String> next = gateway.post(path(Protocol.OPENAI), large);
        assertThat(next.statusCode()).as(next.body()).isEqualTo(200);
        assertThat(upstream.next().body().length()).isEqualTo(large.length());
    }
}
