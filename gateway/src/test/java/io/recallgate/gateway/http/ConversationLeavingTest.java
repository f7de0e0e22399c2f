package io.recallgate.gateway.http;

import static io.recallgate.gateway.http.UpstreamStub.path;
import static io.recallgate.gateway.http.UpstreamStub.stream;
import static io.recallgate.gateway.http.Wire.post;
import static io.recallgate.gateway.http.Wire.send;
import static org.assertj.core.api.Assertions.assertThat;

import io.recallgate.gateway.config.RecallgateConfig;
import io.recallgate.gateway.conversation.admission.AdmissionLimits;
import io.recallgate.gateway.conversation.prepare.PreparationOptions;
import io.recallgate.gateway.conversation.turn.PhaseRun;
import io.recallgate.gateway.conversation.turn.PreparedTurn;
import io.recallgate.gateway.conversation.turn.Protocol;
import io.recallgate.gateway.conversation.turn.ResponseTap;
import io.recallgate.gateway.conversation.turn.TurnPreparation;
import io.recallgate.gateway.conversation.turn.TurnRequest;
import io.recallgate.time.CancelCause;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerResponse;
import java.net.Socket;
import java.net.http.HttpResponse;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Clients that leave a conversation in each of its phases, places, and what is remembered of whole answers only. */
@Timeout(300)
class ConversationLeavingTest {

    private UpstreamStub upstream;
    private TestGateway gateway;
    private Scripted turns;

    @BeforeEach
    void start() {
        upstream = new UpstreamStub();
        gateway = new TestGateway(new RecallgateConfig.Conversation(
                new AdmissionLimits(2, 2, 1, 1, 1, 1, 30_000),
                upstream.conversation().upstream(),
                PreparationOptions.DEFAULTS));
        turns = new Scripted(gateway.runtime.turns);
        gateway.runtime.turns = turns;
    }

    @AfterEach
    void stop() {
        try {
            gateway.placesComeBack();
            gateway.awaitMetric("recallgate_turn_active 0.0");
            gateway.awaitMetric("recallgate_turn_waiting 0.0");
        } finally {
            gateway.close();
            upstream.close();
        }
    }

    /** Prepares as it is told and counts what is committed. */
    private static final class Scripted implements TurnPreparation {

        private final TurnPreparation usual;
        private final BlockingQueue<TurnRequest> asked = new LinkedBlockingQueue<>();
        private final BlockingQueue<String> committed = new LinkedBlockingQueue<>();
        private volatile Future<Void> gate = Future.succeededFuture();
        private volatile Future<Void> commit = Future.succeededFuture();
        private volatile Map<String, String> labels = Map.of();
        private volatile boolean tapFails;

        Scripted(TurnPreparation usual) {
            this.usual = usual;
        }

        @Override
        public Future<PreparedTurn> prepare(TurnRequest request, PhaseRun run) {
            asked.add(request);
            return gate.compose(open -> usual.prepare(request, run)).map(turn -> new Committing(turn, this));
        }
    }

    private record Committing(PreparedTurn turn, Scripted script) implements PreparedTurn {

        @Override
        public List<Buffer> body() {
            return turn.body();
        }

        @Override
        public Map<String, String> labels() {
            Map<String, String> labels = new HashMap<>(turn.labels());
            labels.putAll(script.labels);
            return labels;
        }

        @Override
        public String model() {
            return turn.model();
        }

        @Override
        public boolean streams() {
            return turn.streams();
        }

        @Override
        public ResponseTap tap(int status, String contentType) {
            StringBuilder seen = new StringBuilder();
            return new ResponseTap() {
                @Override
                public void chunk(Buffer piece) {
                    if (script.tapFails) {
                        throw new IllegalStateException("a defect");
                    }
                    seen.append(piece);
                }

                @Override
                public void end() {
                    script.committed.add("tapped " + seen);
                }
            };
        }

        @Override
        public Future<Void> commit() {
            script.committed.add("committed");
            return script.commit;
        }
    }

    @Test
    void aWholeAcceptedAnswerIsCommittedOnceAfterItWasTapped() throws Exception {
        assertThat(gateway.post(path(Protocol.OPENAI), "{}").statusCode()).isEqualTo(200);

        assertThat(Wire.next(turns.committed)).isEqualTo("tapped {\"ok\":true}");
        assertThat(Wire.next(turns.committed)).isEqualTo("committed");
        gateway.awaitMetric("recallgate_turn_commits_total{outcome=\"remembered\",protocol=\"openai\"} 1.0");
        assertThat(turns.committed).isEmpty();
    }

    @Test
    void aRefusalOfTheProviderIsNotCommitted() throws Exception {
        upstream.answer = (request, response) -> response.setStatusCode(429).end("{}");

        assertThat(gateway.post(path(Protocol.OPENAI), "{}").statusCode()).isEqualTo(429);

        assertThat(Wire.next(turns.committed)).startsWith("tapped");
        gateway.awaitMetric("recallgate_turns_total{outcome=\"completed\"");
        assertThat(turns.committed).isEmpty();
    }

    @Test
    void aCommitOrATapThatFailsIsNotTheClients() throws Exception {
        turns.commit = Future.failedFuture(new IllegalStateException("a defect"));
        assertThat(gateway.post(path(Protocol.OPENAI), "{}").body()).isEqualTo("{\"ok\":true}");
        gateway.awaitMetric("recallgate_turn_commits_total{outcome=\"internal\",protocol=\"openai\"} 1.0");
        turns.committed.clear();

        turns.tapFails = true;
        assertThat(gateway.post(path(Protocol.OPENAI), "{}").body()).isEqualTo("{\"ok\":true}");
        gateway.awaitMetric("recallgate_turn_commits_total{outcome=\"internal\",protocol=\"openai\"} 2.0");
        assertThat(turns.committed).isEmpty();
    }

    @Test
    void anAnswerThatIsCompressedThoughItMustNotBeIsRelayedAndNotRemembered() {
        upstream.answer = (request, response) ->
                response.putHeader("content-encoding", "br").end("xyz");

        HttpResponse<String> answer = gateway.post(path(Protocol.OPENAI), "{}");

        assertThat(answer.body()).isEqualTo("xyz");
        assertThat(answer.headers().firstValue("content-encoding")).contains("br");
        gateway.awaitMetric("recallgate_turn_commits_total{outcome=\"compressed\"");
        assertThat(turns.committed).isEmpty();
    }

    @Test
    void thatMemoryWasLeftOutIsALabelAndNoFailure() {
        turns.labels = Map.of(
                "x-recallgate-degraded",
                "preparation-expired",
                "x-recallgate-window",
                "accepted",
                "x-recallgate-memories",
                "0");

        HttpResponse<String> answer = gateway.post(path(Protocol.ANTHROPIC), "{}");

        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.headers().firstValue("x-recallgate-degraded")).contains("preparation-expired");
        assertThat(answer.headers().allValues("x-recallgate-window")).containsExactly("accepted");
        assertThat(answer.headers().firstValue("x-recallgate-preparation-ms")).isPresent();
        gateway.awaitMetric("recallgate_turns_total{outcome=\"completed\",protocol=\"anthropic\"} 1.0");
        assertThat(gateway.get("/metrics").body())
                .contains(
                        "recallgate_turn_preparations_total{degraded=\"true\",protocol=\"anthropic\",window=\"accepted\"} 1.0")
                .contains("recallgate_turn_degraded_total{protocol=\"anthropic\",reason=\"preparation-expired\"} 1.0")
                .contains("recallgate_upstream_duration_seconds_count{outcome=\"completed\",protocol=\"anthropic\"} 1")
                .contains("recallgate_turn_phase_duration_seconds_count{phase=\"forward\",protocol=\"anthropic\"} 1");
    }

    @Test
    void aPreparationThatIsLeftIsCancelledAndNothingIsSent() throws Exception {
        Promise<Void> gate = Promise.promise();
        turns.gate = gate.future();
        CompletableFuture<CancelCause> cancelled = new CompletableFuture<>();
        try (Socket socket = gateway.connect()) {
            send(socket, post(path(Protocol.OPENAI), "{}"));
            Wire.next(turns.asked).cancel().onCancel(cancelled::complete);
        }
        assertThat(cancelled.get(60, TimeUnit.SECONDS)).isEqualTo(CancelCause.DISCONNECTED);

        gate.complete();

        gateway.awaitMetric("recallgate_turns_total{outcome=\"client-cancel\",protocol=\"openai\"} 1.0");
        assertThat(upstream.received).isEmpty();
    }

    @ParameterizedTest
    @EnumSource
    void aClientThatLeavesBeforeTheFirstByteEndsTheProvidersConnection(Protocol protocol) throws Exception {
        upstream.answer = (request, response) -> {};
        UpstreamStub.Received request;
        try (Socket socket = gateway.connect()) {
            send(socket, post(path(protocol), "{}"));
            request = upstream.next();
            assertThat(request.closed()).isNotDone();
        }

        assertLeft(request);
    }

    @ParameterizedTest
    @EnumSource
    void aClientThatLeavesBetweenBytesEndsTheProvidersConnection(Protocol protocol) throws Exception {
        upstream.answer = (request, response) -> stream(response).write("data: 1\n\n");
        UpstreamStub.Received request;
        try (Socket socket = gateway.connect()) {
            send(socket, post(path(protocol), "{\"stream\":true}"));
            request = upstream.next();
            assertThat(socket.getInputStream().read()).isEqualTo('H');
        }

        assertLeft(request);
        assertThat(turns.committed).isEmpty();
    }

    @Test
    void aClientThatLeavesAnAnswerWithoutStreamEndsTheProvidersConnection() throws Exception {
        upstream.answer = (request, response) ->
                response.putHeader("content-length", "100").write("{");
        UpstreamStub.Received request;
        try (Socket socket = gateway.connect()) {
            send(socket, post(path(Protocol.ANTHROPIC), "{}"));
            request = upstream.next();
            assertThat(socket.getInputStream().read()).isEqualTo('H');
        }

        assertLeft(request);
        assertThat(turns.committed).isEmpty();
    }

    @Test
    void aClientThatStoppedReadingAndThenLeavesEndsTheProvidersConnection() throws Exception {
        CompletableFuture<HttpServerResponse> full = new CompletableFuture<>();
        upstream.answer = (request, response) -> fill(stream(response), full);
        UpstreamStub.Received request;
        try (Socket socket = gateway.connect()) {
            send(socket, post(path(Protocol.OPENAI), "{\"stream\":true}"));
            request = upstream.next();
            full.get(30, TimeUnit.SECONDS);
        }

        assertLeft(request);
    }

    /**
     * Writes until the connection takes no more, a piece a turn of the loop: on a connection that was reset, what is written
     * is lost and the queue never full, and only between two turns does the loop hear that it has ended.
     */
    private static void fill(HttpServerResponse response, CompletableFuture<HttpServerResponse> full) {
        if (response.closed()) {
            return;
        }
        if (response.writeQueueFull()) {
            response.drainHandler(drained -> fill(response, full));
            full.complete(response);
        } else {
            response.write("data: " + "x".repeat(32 * 1024) + "\n\n");
            Vertx.currentContext().runOnContext(next -> fill(response, full));
        }
    }

    /** The promise is 100 ms, which is measured elsewhere; here it is to be long before the provider's own bounds. */
    private void assertLeft(UpstreamStub.Received request) throws Exception {
        request.closed().get(30, TimeUnit.SECONDS);
        gateway.awaitMetric("recallgate_turns_total{outcome=\"client-cancel\"");
        gateway.awaitMetric("recallgate_upstream_requests_total{outcome=\"client-cancel\"");
        gateway.awaitMetric("status=\"499\"");
    }

    @Test
    void oneWaitsForItsPlaceTheNextIsRefusedAndOneThatLeavesMakesRoom() throws Exception {
        CompletableFuture<HttpServerResponse> open = new CompletableFuture<>();
        upstream.answer = (request, response) -> open.complete(response);
        String[] session = {"x-recallgate-session: s"};
        try (Socket first = gateway.connect();
                Socket third = gateway.connect()) {
            send(first, Wire.head("POST " + path(Protocol.OPENAI), session[0], "content-length: 2") + "{}");
            upstream.next();
            try (Socket second = gateway.connect()) {
                send(second, Wire.head("POST " + path(Protocol.OPENAI), session[0], "content-length: 2") + "{}");
                gateway.awaitMetric("recallgate_turn_waiting 1.0");

                HttpResponse<String> refused =
                        gateway.post(path(Protocol.ANTHROPIC), "{}", "x-recallgate-session", "s");
                assertThat(refused.statusCode()).isEqualTo(429);
                assertThat(refused.headers().firstValue("retry-after")).isPresent();
                assertThat(refused.body()).contains("rate_limit_error");
            }
            gateway.awaitMetric("recallgate_turn_waiting 0.0");
            send(third, Wire.head("POST " + path(Protocol.OPENAI), session[0], "content-length: 2") + "{}");
            gateway.awaitMetric("recallgate_turn_waiting 1.0");
            upstream.answer = (request, response) -> response.end("{}");

            open.get(60, TimeUnit.SECONDS).end("{}");

            assertThat(Wire.statusLine(first)).startsWith("HTTP/1.1 200");
            assertThat(Wire.statusLine(third)).startsWith("HTTP/1.1 200");
        }
    }

    @Test
    void aDeadlineThatPassesWhileWaitingIsA504() throws Exception {
        CompletableFuture<HttpServerResponse> open = new CompletableFuture<>();
        upstream.answer = (request, response) -> open.complete(response);
        try (Socket first = gateway.connect()) {
            send(
                    first,
                    Wire.head("POST " + path(Protocol.OPENAI), "x-recallgate-session: s", "content-length: 2") + "{}");
            upstream.next();

            HttpResponse<String> late = gateway.post(
                    path(Protocol.OPENAI), "{}", "x-recallgate-session", "s", "x-recallgate-deadline-ms", "100");

            assertThat(late.statusCode()).isEqualTo(504);
            open.get(60, TimeUnit.SECONDS).end("{}");
            assertThat(Wire.statusLine(first)).startsWith("HTTP/1.1 200");
        }
    }
}
