package io.recallgate.gateway.http;

import static io.recallgate.gateway.http.UpstreamStub.path;
import static io.recallgate.gateway.http.UpstreamStub.stream;
import static org.assertj.core.api.Assertions.assertThat;

import io.recallgate.gateway.conversation.turn.Protocol;
import io.recallgate.gateway.http.FaultCase.Expected;
import io.recallgate.gateway.http.FaultCase.Part;
import io.recallgate.gateway.http.FaultCase.When;
import io.recallgate.gateway.http.FaultyStack.Trouble;
import io.recallgate.gateway.postgres.Eventually;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.Socket;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Each part that a turn depends on, with each kind of trouble, before the turn comes and while it is at it: the turn ends with what
 * can be had and says what could not, nothing goes on without it, and the next one finds everything in order.
 */
@Timeout(300)
class ConversationFaultsTest {

    private static final String OK =
            "{\"choices\":[{\"finish_reason\":\"stop\",\"message\":{\"content\":\"In Kyoto.\"}}]}";

    /** What a machine that is busy may have had no time for. */
    private static final Set<String> BUSY =
            Set.of("deadline-exhausted", "embedding-timeout", "vector-index-unavailable");

    private static FaultyStack stack;
    private static int cases;
    /** What the provider had begun to answer when nobody wanted it any more. */
    private static final BlockingQueue<UpstreamStub.Received> left = new LinkedBlockingQueue<>();

    @BeforeAll
    static void start() {
        stack = new FaultyStack();
        stack.upstream.answer = (request, response) ->
                response.putHeader("content-type", "application/json").end(OK);
        // The first turn of a process takes longer than its budget may.
        for (int i = 0; i < 3; i++) {
            ask(question());
        }
    }

    @AfterAll
    static void stop() {
        stack.close();
    }

    @ParameterizedTest
    @MethodSource("io.recallgate.gateway.http.FaultCase#all")
    void everyTurnEndsWithTheRightLabelAndLeavesNothingBehind(FaultCase it) throws Exception {
        Expected expected = it.expected();
        // A turn is counted when it has been remembered, which is after its answer.
        stack.gateway.awaitMetric("recallgate_turn_active 0.0");
        Map<String, Double> before = outcomes();
        strike(it);

        Answer answer = it.part() == Part.CLIENT ? asClient(it) : ask(body(it));

        stack.heal();
        assertThat(answer.status).as(answer.body).isEqualTo(expected.status());
        if (answer.status == 200 && expected.reasons().isEmpty()) {
            assertThat(answer.reasons()).isSubsetOf(BUSY);
        } else if (answer.status == 200) {
            assertThat(answer.reasons()).isNotEmpty().isSubsetOf(expected.reasons());
        }
        Map<String, Double> after = new TreeMap<>(before);
        after.merge(expected.outcome(), 1.0, Double::sum);
        Eventually.holds(
                "it is counted as " + expected.outcome(), 60, () -> outcomes().equals(after));
    }

    @AfterEach
    void nothingGoesOnAndTheNextTurnIsWhole() throws Exception {
        stack.heal();
        stack.upstream.answer = (request, response) ->
                response.putHeader("content-type", "application/json").end(OK);
        stack.upstream.onHead = stack.upstream::readAndAnswer;
        stack.gateway.placesComeBack();
        stack.gateway.awaitMetric("recallgate_turn_active 0.0");
        Eventually.holds("no call is under way", 60, () -> stack.underWay.get() == 0);
        Eventually.holds("no timer is armed", 60, () -> stack.timers() <= 0);
        Eventually.holds("no statement runs", 60, () -> stack.activeStatements() == 0);
        for (UpstreamStub.Received request : left) {
            request.closed().get(60, TimeUnit.SECONDS);
        }
        left.clear();
        stack.upstream.received.clear();
        Eventually.holds(
                "a turn is given what is remembered", 60, () -> ask(question()).memories() > 0);
    }

    private void strike(FaultCase it) {
        stack.during = it.when() == When.DURING;
        switch (it.part()) {
            case EMBEDDER -> stack.embedding = it.trouble();
            case RECALL -> stack.recalling = it.trouble();
            case PROVIDER -> provider(it);
            case DATABASE -> {
                DatabaseProxy.Mode mode =
                        switch (it.trouble()) {
                            case STALL -> DatabaseProxy.Mode.HOLD;
                            case ERROR -> DatabaseProxy.Mode.CUT;
                            case SLOW -> DatabaseProxy.Mode.SLOW;
                            default -> DatabaseProxy.Mode.GONE;
                        };
                if (it.when() == When.BEFORE) {
                    stack.wire.mode(mode);
                } else {
                    stack.onceAsked = () -> stack.wire.mode(mode);
                }
            }
            case READ_WORKERS -> {
                Runnable hold =
                        switch (it.trouble()) {
                            case ERROR -> stack::fillReaders;
                            case GONE -> () -> stack.gateway.runtime.readers().close();
                            default -> () -> stack.holdReaders(it.trouble() == Trouble.SLOW);
                        };
                if (it.when() == When.BEFORE) {
                    hold.run();
                } else {
                    stack.onceRecalled = hold;
                }
            }
            case UPSTREAM -> upstream(it);
            default -> {}
        }
    }

    private static void provider(FaultCase it) {
        boolean before = it.when() == When.BEFORE;
        switch (it.trouble()) {
            case STALL -> {
                if (before) {
                    stack.provider.stalls();
                } else {
                    stack.provider.answersHalf();
                }
            }
            case ERROR -> {
                if (before) {
                    stack.provider.fails(500, "x", "scripted");
                } else {
                    stack.provider.says("{\"data\":[{\"index\":0,\"embedding\":");
                }
            }
            case GONE -> {
                if (before) {
                    stack.refuseEmbeddings();
                } else {
                    stack.provider.dropsMidBody();
                }
            }
            default -> stack.delayEmbeddings(before ? 20 : 60);
        }
    }

    private static void upstream(FaultCase it) {
        boolean before = it.when() == When.BEFORE;
        String event = "data: {\"choices\":[{\"delta\":{\"content\":\"In\"}}]}\n\n";
        stack.upstream.answer = (request, response) -> {
            if (!before) {
                stream(response).write(event);
            }
            switch (it.trouble()) {
                case STALL -> left.add(request);
                case ERROR -> {
                    if (before) {
                        response.setStatusCode(529).end("{}");
                    } else {
                        response.end("data: {\"error\":{\"message\":\"scripted\"}}\n\n");
                    }
                }
                case SLOW ->
                    stack.gateway.vertx.setTimer(
                            20,
                            late -> response.end(before ? OK : event.replace("}]}", ",\"finish_reason\":\"stop\"}]}")));
                default -> request.cut();
            }
        };
    }

    /** As a client with troubles of its own. */
    private static Answer asClient(FaultCase it) throws Exception {
        boolean before = it.when() == When.BEFORE;
        if (it.trouble() == Trouble.ERROR && before) {
            return ask("{\"messages\":");
        }
        String body = question();
        if (it.trouble() == Trouble.SLOW) {
            return drip(body, before);
        }
        // It leaves while the turn is prepared, or when its answer has begun.
        if (before) {
            stack.recalling = Trouble.STALL;
        } else {
            stack.upstream.answer = (request, response) -> {
                left.add(request);
                stream(response).write("data: {}\n\n");
            };
        }
        try (Socket socket = stack.gateway.connect()) {
            Wire.send(socket, Wire.post(path(Protocol.OPENAI), body));
            if (before) {
                Eventually.holds("it is prepared", 60, () -> stack.underWay.get() > 0);
            } else {
                assertThat(socket.getInputStream().read()).isEqualTo('H');
            }
            if (it.trouble() == Trouble.ERROR) {
                // Ends without a word of farewell.
                socket.setSoLinger(true, 0);
            }
        }
        return new Answer(0, "", Map.of());
    }

    /** Sends its request, or takes its answer, a little at a time. */
    private static Answer drip(String body, boolean sending) throws IOException {
        try (Socket socket = stack.gateway.connect()) {
            byte[] request = Wire.post(path(Protocol.OPENAI), body).getBytes(StandardCharsets.UTF_8);
            for (int at = 0; at < request.length; at += 64) {
                socket.getOutputStream().write(request, at, Math.min(64, request.length - at));
                if (sending) {
                    socket.getOutputStream().flush();
                }
            }
            String status = Wire.statusLine(socket);
            return new Answer(Integer.parseInt(status.split(" ", 3)[1]), "", Map.of());
        }
    }

    private static boolean large(FaultCase it) {
        return it.part() == Part.READ_WORKERS;
    }

    private static String body(FaultCase it) {
        if (!large(it)) {
            return question();
        }
        // Read on a worker if it is to be held before; else only fitted on one.
        int words = it.when() == When.BEFORE ? 60_000 : 40_000;
        return question(new JsonObject()
                        .put("role", "user")
                        .put("content", "word ".repeat(words))
                        .encode() + ",{\"role\":\"assistant\",\"content\":\"Yes.\"},");
    }

    private static String question() {
        return question("");
    }

    /** Each is another one, since the vectors of questions are remembered. */
    private static String question(String earlier) {
        return "{\"model\":\"m\",\"messages\":[" + earlier + "{\"role\":\"user\",\"content\":\"Where did Mina move to, "
                + ++cases + "?\"}]}";
    }

    /** What a client sees. */
    private record Answer(int status, String body, Map<String, List<String>> headers) {

        Set<String> reasons() {
            return headers.getOrDefault("x-recallgate-degraded", List.of()).stream()
                    .flatMap(value -> Arrays.stream(value.split(",")))
                    .collect(Collectors.toSet());
        }

        int memories() {
            return Integer.parseInt(
                    headers.getOrDefault("x-recallgate-memories", List.of("0")).get(0));
        }
    }

    private static Answer ask(String body) {
        HttpResponse<String> response =
                stack.gateway.post(path(Protocol.OPENAI), body, "x-recallgate-session", "s" + cases);
        return new Answer(
                response.statusCode(), response.body(), response.headers().map());
    }

    private static Map<String, Double> outcomes() {
        Map<String, Double> counts = new TreeMap<>();
        stack.gateway.registry.find("recallgate.turns").counters().forEach(counter -> {
            if (counter.count() > 0) {
                counts.merge(counter.getId().getTag("outcome"), counter.count(), Double::sum);
            }
        });
        return counts;
    }
}
