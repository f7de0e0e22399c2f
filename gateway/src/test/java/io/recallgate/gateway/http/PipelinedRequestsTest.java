package io.recallgate.gateway.http;

import static io.recallgate.gateway.http.Wire.EMBEDDING;
import static io.recallgate.gateway.http.Wire.LIVE;
import static io.recallgate.gateway.http.Wire.QUERY;
import static io.recallgate.gateway.http.Wire.next;
import static io.recallgate.gateway.http.Wire.post;
import static io.recallgate.gateway.http.Wire.send;
import static io.recallgate.gateway.http.Wire.sendInBackground;
import static org.assertj.core.api.Assertions.assertThat;

import io.recallgate.embedding.api.EmbedResult;
import io.recallgate.recall.api.RecallResponse;
import io.vertx.core.Promise;
import java.io.IOException;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Clients that send requests on one connection before the one ahead of them is answered, and stay for the answers. */
@Timeout(300)
class PipelinedRequestsTest {

    private static final String SPACES = " ".repeat(1_000_000);

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

            assertThat(Wire.Answer.read(socket).body()).contains("\"embedding\"");
            for (int i = 0; i < answeredBetween; i++) {
                assertThat(Wire.Answer.read(socket).status()).isEqualTo(200);
            }
            Wire.Answer refusal = Wire.Answer.read(socket);
            assertThat(refusal.status()).isEqualTo(429);
            assertThat(refusal.head()).contains("connection: close").contains("retry-after: ");
            assertThat(refusal.body()).contains("send this again when the answer before it is there");
        }
        gateway.placesComeBack();
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
    void aClientThatStaysAfterItsRefusalIsSentAway() throws Exception {
        Promise<RecallResponse> slow = Promise.promise();
        gateway.runtime.recall = request -> slow.future();
        try (Socket socket = gateway.connect()) {
            send(socket, post("/v1/recall", QUERY));
            var request = next(gateway.runtime.recalled);
            send(socket, Behind.A_LARGE_BODY.text(40_000_000));
            slow.complete(ScriptedRuntime.emptyAnswer(request));

            assertThat(statuses(socket, 2)).containsExactly(200, 429);
            assertThat(socket.getInputStream().read()).isEqualTo(-1);
        }
        gateway.placesComeBack();
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

            assertThat(Wire.Answer.read(socket).status()).isEqualTo(200);
            assertThat(Wire.Answer.read(socket).body()).contains("\"error\":{\"message\":\"too much was sent");
        }
        assertThat(gateway.get("/metrics").body())
                .contains("recallgate_http_failures_total{code=\"overloaded\",route=\"/v1/embeddings\"} 1.0");
    }

    @Test
    void aClientThatNeverEndsItsBodyHasItsAnswerAndIsThenSentAway() throws Exception {
        Promise<EmbedResult> slow = Promise.promise();
        gateway.runtime.embed = request -> slow.future();
        EndlessBody endless = new EndlessBody();
        try (Socket socket = gateway.connect()) {
            send(socket, post("/v1/embeddings", EMBEDDING));
            var request = next(gateway.runtime.embedded);
            endless.sendOn(socket);
            endless.await(16 << 20);

            slow.complete(ScriptedRuntime.vectors(request));

            assertThat(Wire.Answer.read(socket).body()).contains("\"embedding\"");
            assertThat(Wire.Answer.read(socket).status()).isEqualTo(429);
            // The gateway closes, which ends the writing.
            endless.join();
        }
        gateway.placesComeBack();
    }

    @Test
    void largeBodiesBehindQuickAnswersAreServed() throws Exception {
        gateway.timers.slower(100);
        String memory = post("/v1/memories", "{\"content\":\"x\"" + SPACES + "}");
        try (Socket socket = gateway.connect()) {
            sendInBackground(socket, LIVE + memory + LIVE + memory + post("/v1/recall", QUERY) + memory);

            assertThat(statuses(socket, 6)).containsExactly(200, 202, 200, 202, 200, 202);
        }
        assertThat(gateway.runtime.memories.count()).isEqualTo(3);
    }

    @Test
    void aLargeBodyIsServedWhenTheAnswerAheadComesBeforePatienceEnds() throws Exception {
        gateway.timers.slower(100);
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
                assertThat(Wire.Answer.read(socket).head()).contains("x-request-id: n" + i + "\r\n");
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

            assertThat(Wire.Answer.read(socket).body()).contains("\"embedding\"");
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

            assertThat(Wire.Answer.read(socket).status()).isEqualTo(501);
        }
        try (Socket socket = gateway.connect()) {
            send(socket, """
                    GET /health/live HTTP/1.1
                    host: localhost
                    connection: upgrade, http2-settings
                    upgrade: h2c
                    http2-settings: AAMAAABkAAQAAP__

                    """.replace("\n", "\r\n"));

            assertThat(Wire.Answer.read(socket).status()).isEqualTo(200);
        }
    }

    private static List<Integer> statuses(Socket socket, int count) throws IOException {
        List<Integer> statuses = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            statuses.add(Wire.Answer.read(socket).status());
        }
        return statuses;
    }
}
