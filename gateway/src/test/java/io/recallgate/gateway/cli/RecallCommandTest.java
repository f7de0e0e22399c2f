package io.recallgate.gateway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.recallgate.gateway.cli.GatewayStub.Reply;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class RecallCommandTest {

    private static final String RECALL = "POST /v1/recall";

    private final CommandLineRun line = new CommandLineRun();
    private GatewayStub gateway;

    @BeforeEach
    void startStub() throws IOException {
        gateway = new GatewayStub();
        line.environment.put("RECALLGATE_URL", gateway.url());
    }

    @AfterEach
    void stopStub() {
        gateway.close();
    }

    static JsonObject envelope() {
        return new JsonObject()
                .put("recall_id", "1")
                .put("mode", new JsonObject().put("requested", "hybrid").put("served", "hybrid"))
                .putNull("degraded")
                .put("vector_coverage", 0.999)
                .put(
                        "hits",
                        new JsonArray()
                                .add(hit("ベータ版は4月11日です", "Mika", 0.91, 1, 2))
                                .add(hit("The beta moves\nto 11 April", "Jonas", 0.5, null, 1)))
                .put(
                        "timing_ms",
                        new JsonObject()
                                .put("total", 12.44)
                                .put("embedding", 3.1)
                                .put("lexical", 2.2)
                                .put("vector", 0.9)
                                .put("fusion", 0.1));
    }

    private static JsonObject hit(
            String content, String author, double score, @Nullable Integer lexical, Integer vector) {
        return new JsonObject()
                .put("id", "x")
                .put("content", content)
                .put("score", score)
                .put("ranks", new JsonObject().put("lexical", lexical).put("vector", vector))
                .put("author", author)
                .put("occurred_at", "2025-03-10T09:35:00Z");
    }

    @Test
    void hitsAreATableWithTheTimeOfEachStage() {
        gateway.on(RECALL, Reply.ok(envelope()));

        assertThat(line.run("recall", "when is the beta due?")).isZero();

        assertThat(line.out()).isEqualTo("""
                        #  score  lex  vec  when              who    content
                        1  0.910    1    2  2025-03-10 09:35  Mika   ベータ版は4月11日です
                        2  0.500    -    1  2025-03-10 09:35  Jonas  The beta moves to 11 April
                        12.4 ms (embedding 3.1, lexical 2.2, vector 0.9, fusion 0.1) · hybrid · 99 % have vectors
                        """);
        assertThat(line.err()).isEmpty();
        assertThat(gateway.requests(RECALL).get(0).json())
                .isEqualTo(new JsonObject()
                        .put("query", "when is the beta due?")
                        .put("mode", "hybrid")
                        .put("limit", 10));
    }

    @Test
    void aDegradedAnswerSaysSo() {
        JsonObject degraded = envelope()
                .put("mode", new JsonObject().put("requested", "hybrid").put("served", "lexical"))
                .put("degraded", new JsonObject().put("to", "lexical").put("reason", "embedding-timeout"));
        gateway.on(RECALL, Reply.ok(degraded));

        line.run("recall", "q");

        assertThat(line.out()).contains("· lexical ·").contains("degraded to lexical: embedding-timeout");
    }

    @Test
    void jsonIsTheEnvelopeAsTheGatewayGaveIt() {
        gateway.on(RECALL, Reply.ok(envelope()));

        assertThat(line.run("recall", "--json", "q")).isZero();

        assertThat(new JsonObject(line.out())).isEqualTo(envelope());
    }

    @Test
    void optionsBecomeFieldsAndHeaders() {
        gateway.on(RECALL, Reply.ok(envelope()));

        line.run(
                "recall",
                "--mode",
                "strict",
                "--limit",
                "3",
                "--session",
                "s1",
                "--explain",
                "--key",
                "k1",
                "--project",
                "p1",
                "q");

        var request = gateway.requests(RECALL).get(0);
        assertThat(request.json())
                .isEqualTo(new JsonObject()
                        .put("query", "q")
                        .put("mode", "strict")
                        .put("limit", 3)
                        .put("session", "s1")
                        .put("explain", true));
        assertThat(request.header("x-recallgate-key")).isEqualTo("k1");
        assertThat(request.header("x-recallgate-project")).isEqualTo("p1");
    }

    @Test
    void explainedHitsShowTheirSignals() {
        JsonObject explained = envelope();
        explained
                .getJsonArray("hits")
                .getJsonObject(0)
                .put("explain", new JsonObject().put("vector", 0.4).put("lexical", 0.5));
        gateway.on(RECALL, Reply.ok(explained));

        line.run("recall", "--explain", "q");

        assertThat(line.out()).contains("lexical 0.50 vector 0.40");
    }

    @Test
    void nothingFoundIsNoFailure() {
        gateway.on(RECALL, Reply.ok(envelope().put("hits", new JsonArray())));

        assertThat(line.run("recall", "q")).isZero();

        assertThat(line.out()).startsWith("nothing found\n12.4 ms");
    }

    @Test
    void withoutAGatewayItSaysHowToStartOne() throws IOException {
        int free;
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            free = socket.getLocalPort();
        }

        assertThat(line.run("recall", "--url", "http://127.0.0.1:" + free, "q")).isEqualTo(1);

        assertThat(line.err())
                .startsWith("recallgate: no gateway runs at http://127.0.0.1:" + free)
                .contains("./recallgate serve")
                .hasLineCount(1);
        assertThat(line.out()).isEmpty();
    }

    @Test
    void anUnknownKeyIsExplained() {
        gateway.on(RECALL, Reply.problem(401, "unauthenticated", "no key"));

        assertThat(line.run("recall", "q")).isEqualTo(1);

        assertThat(line.err()).contains("--key").contains("RECALLGATE_KEY").hasLineCount(1);
    }

    @Test
    void aBusyGatewayIsAskedAgainWhenItSays() {
        gateway.on(
                RECALL,
                Reply.problem(429, "overloaded", "queue full").retryAfter(2),
                Reply.problem(503, "not-ready", "starting").retryAfter(3),
                Reply.ok(envelope()));

        assertThat(line.run("recall", "q")).isZero();

        assertThat(line.pauses).containsExactly(2_000L, 3_000L);
    }

    @Test
    void patienceEnds() {
        gateway.on(
                RECALL,
                Reply.problem(503, "not-ready", "the gateway is starting").retryAfter(5));

        assertThat(line.run("recall", "q")).isEqualTo(1);

        assertThat(line.pauses).containsExactly(5_000L, 5_000L, 5_000L, 5_000L);
        assertThat(line.err())
                .contains("the gateway is starting (not-ready)")
                .contains("./recallgate status")
                .hasLineCount(1);
    }

    @Test
    void anotherServerIsToldFromAGateway() {
        gateway.on(RECALL, new Reply(200, "<html>", java.util.Map.of()));

        assertThat(line.run("recall", "q")).isEqualTo(1);

        assertThat(line.err()).contains("not a Recallgate gateway");
    }

    @Test
    void wrongUsageHasStatusTwoAndOneLine() {
        for (String[] wrong : new String[][] {
            {"recall"},
            {"recall", "--limit", "0", "q"},
            {"recall", "--limit", "many", "q"},
            {"recall", "--mode", "fuzzy", "q"},
            {"recall", "--colour", "q"},
            {"remember", "q"},
            {}
        }) {
            CommandLineRun run = new CommandLineRun();
            assertThat(run.run(wrong)).as(String.join(" ", wrong)).isEqualTo(2);
            assertThat(run.err()).hasLineCount(1).contains("--help");
        }
    }

    @Test
    void aWrongUrlIsNamed() {
        assertThat(line.run("recall", "--url", "localhost:7411", "q")).isEqualTo(1);

        assertThat(line.err()).contains("--url 'localhost:7411'").hasLineCount(1);
    }

    @Test
    void colourOnlyOnATerminalThatWantsIt() {
        gateway.on(RECALL, Reply.ok(envelope()));
        line.terminal = true;

        line.run("recall", "q");
        assertThat(line.out()).contains("\u001b[1m");

        CommandLineRun plain = new CommandLineRun();
        plain.terminal = true;
        plain.environment.put("RECALLGATE_URL", gateway.url());
        plain.environment.put("NO_COLOR", "1");
        plain.run("recall", "q");
        assertThat(plain.out()).doesNotContain("\u001b");
    }

    @Test
    void withoutAUrlTheServersOwnSettingsNameIt() {
        assertThat(ConnectionOptions.defaultUrl(java.util.Map.of())).isEqualTo("http://127.0.0.1:7411");
        assertThat(ConnectionOptions.defaultUrl(
                        java.util.Map.of("RECALLGATE_HTTP_HOST", "0.0.0.0", "RECALLGATE_HTTP_PORT", "80")))
                .isEqualTo("http://127.0.0.1:80");
        assertThat(ConnectionOptions.defaultUrl(java.util.Map.of("RECALLGATE_HTTP_HOST", "::1")))
                .isEqualTo("http://[::1]:7411");
    }
}
