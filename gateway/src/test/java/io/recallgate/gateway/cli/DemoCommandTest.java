package io.recallgate.gateway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.recallgate.gateway.cli.GatewayStub.Reply;
import io.recallgate.gateway.cli.GatewayStub.Request;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class DemoCommandTest {

    private final CommandLineRun line = new CommandLineRun();
    private final Set<String> stored = new HashSet<>();
    private GatewayStub gateway;

    /** Who answers conversations, as the server was told. */
    private volatile String upstream = "";

    @BeforeEach
    void startStub() throws IOException {
        JsonObject starting =
                new JsonObject().put("status", "starting").put("database", new JsonObject().put("status", "starting"));
        gateway = new GatewayStub()
                .on("GET /health/ready", Reply.problem(503, "not-ready", "starting"), Reply.ok(new JsonObject()))
                .on("GET /health", Reply.ok(starting))
                .on("POST /v1/memories", this::store)
                .on("GET /v1/jobs", Reply.ok(new JsonObject().put("counts", new JsonObject())))
                .on("POST /v1/recall", Reply.ok(RecallCommandTest.envelope()))
                .on(
                        "POST /v1/chat/completions",
                        Reply.ok(new JsonObject(
                                "{\"choices\":[{\"message\":{\"content\":\"given:\\n[id 1] nuts\"}}]}")));
    }

    @AfterEach
    void stopStub() {
        gateway.close();
    }

    private Reply store(Request request) {
        JsonArray answer = new JsonArray();
        request.json()
                .getJsonArray("memories")
                .forEach(value -> answer.add(new JsonObject()
                        .put(
                                "change",
                                stored.add(((JsonObject) value).getString("external_id")) ? "stored" : "unchanged")));
        return new Reply(202, new JsonObject().put("memories", answer).encode(), Map.of());
    }

    /** Listens where the stub does; runs until stopped, or until the demo has asked its last question. */
    private final class StubServer implements GatewayServer {
        private final CountDownLatch stopped = new CountDownLatch(1);
        private final int status;
        private final boolean stopsAfterTheTour;
        private volatile boolean wasStopped;

        StubServer(int status, boolean stopsAfterTheTour) {
            this.status = status;
            this.stopsAfterTheTour = stopsAfterTheTour;
        }

        @Override
        public int run(Map<String, String> environment, Optional<Path> file, Consumer<String> onListening) {
            upstream = environment.getOrDefault("RECALLGATE_UPSTREAM", "");
            onListening.accept(gateway.url());
            try {
                if (stopsAfterTheTour) {
                    // The third answer is on its way: what the demo prints after it comes before its exit.
                    gateway.on("POST /v1/recall", request -> {
                        if (gateway.requests("POST /v1/recall").size() == 3) {
                            stopped.countDown();
                        }
                        return Reply.ok(RecallCommandTest.envelope());
                    });
                }
                if (!stopped.await(20, TimeUnit.SECONDS)) {
                    throw new AssertionError("nobody stopped the server");
                }
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
            return status;
        }

        @Override
        public void stop() {
            wasStopped = true;
            stopped.countDown();
        }
    }

    @Test
    void itImportsAsksThreeQuestionsTellsWhatNextAndStaysUp() {
        line.server = new StubServer(0, true);

        assertThat(line.run("demo")).isZero();

        assertThat(stored).hasSizeGreaterThanOrEqualTo(150);
        assertThat(gateway.requests("POST /v1/recall")).hasSize(3);
        assertThat(line.out())
                .contains("sample conversation: 188 memories in")
                .contains("embedding: done")
                .contains("1. Why did the job")
                .contains("2. parseConfig()")
                .contains("3. ベータ版")
                .contains("12.4 ms (embedding 3.1, lexical 2.2, vector 0.9, fusion 0.1)")
                .contains("assistant: given:\n  [id 1] nuts")
                .contains("curl -s " + gateway.url() + "/v1/recall")
                .contains("--url " + gateway.url())
                .contains("Ctrl-C stops it");
        assertThat(line.err()).isEmpty();
    }

    @Test
    void theTurnIsAnsweredHereAndLeavesNoMemory() {
        line.server = new StubServer(0, true);

        assertThat(line.run("demo")).isZero();

        assertThat(upstream).isEqualTo("demo");
        Request turn = gateway.requests("POST /v1/chat/completions").get(0);
        assertThat(turn.header("x-recallgate-memory")).isEqualTo("read");
    }

    @Test
    void whoeverHasAProviderIsNotAskedToPayForADemonstration() {
        line.server = new StubServer(0, true);
        line.environment.put("RECALLGATE_UPSTREAM", "live");

        assertThat(line.run("demo")).isZero();

        assertThat(upstream).isEqualTo("live");
        assertThat(gateway.requests("POST /v1/chat/completions")).isEmpty();
    }

    @Test
    void withoutAProviderItDoesNotWaitButAsks() {
        line.server = new StubServer(0, true);
        gateway.on("GET /v1/jobs", Reply.ok(new JsonObject().put("counts", new JsonObject().put("available", 188))))
                .on("GET /health", Reply.ok(EvalCommandTest.noProvider()));

        assertThat(line.run("demo")).isZero();

        assertThat(gateway.requests("POST /v1/recall")).hasSize(3);
        assertThat(line.out()).contains("embedding: skipped, this gateway has no embedding provider");
    }

    @Test
    void aWaitWithoutProgressEndsAndTheQuestionsAreAsked() {
        line.server = new StubServer(0, true);
        gateway.on("GET /v1/jobs", Reply.ok(new JsonObject().put("counts", new JsonObject().put("available", 188))));

        assertThat(line.run("demo")).isZero();

        assertThat(gateway.requests("POST /v1/recall")).hasSize(3);
        assertThat(line.out()).contains("embedding: no memory was embedded for 45 s, 188 memories to go");
    }

    @Test
    void aSecondStartSaysThatTheConversationIsThere() {
        line.server = new StubServer(0, true);
        line.run("demo");
        int before = stored.size();
        CommandLineRun second = new CommandLineRun();
        second.server = new StubServer(0, false);
        gateway.on("POST /v1/recall", request -> {
            if (gateway.requests("POST /v1/recall").size() == 6) {
                second.server.stop();
            }
            return Reply.ok(RecallCommandTest.envelope());
        });

        assertThat(second.run("demo")).isZero();

        assertThat(stored).hasSize(before);
        assertThat(second.out()).contains("already there (188 memories, nothing imported twice)");
    }

    @Test
    void aServerThatDoesNotStartEndsTheDemoWithItsStatus() {
        line.server = new GatewayServer() {
            @Override
            public int run(Map<String, String> environment, Optional<Path> file, Consumer<String> onListening) {
                return 1;
            }

            @Override
            public void stop() {}
        };

        assertThat(line.run("demo")).isEqualTo(1);

        assertThat(gateway.requests("POST /v1/memories")).isEmpty();
    }

    @Test
    void aFailureInTheTourIsNamedAndStopsTheServer() {
        StubServer server = new StubServer(0, false);
        line.server = server;
        gateway.on("GET /health/live", Reply.ok(new JsonObject()))
                .on("POST /v1/recall", Reply.problem(500, "internal", "a defect"));

        assertThat(line.run("demo")).isEqualTo(1);

        assertThat(server.wasStopped).isTrue();
        assertThat(line.err())
                .contains("the demo failed: ")
                .contains("a defect (internal)")
                .hasLineCount(1);
    }

    @Test
    void optionsBecomeSettings() {
        Map<String, String> seen = new HashMap<>();
        line.environment.put("RECALLGATE_HTTP_PORT", "1");
        line.server = new GatewayServer() {
            @Override
            public int run(Map<String, String> environment, Optional<Path> file, Consumer<String> onListening) {
                seen.putAll(environment);
                return 0;
            }

            @Override
            public void stop() {}
        };

        assertThat(line.run("serve", "--port", "0", "--data-dir", "/srv/data")).isZero();

        assertThat(seen).containsEntry("RECALLGATE_HTTP_PORT", "0").containsEntry("RECALLGATE_DATA_DIR", "/srv/data");
    }

    @Test
    void aMissingSettingsFileIsNamed() {
        assertThat(line.run("serve", "--config", "/nowhere.yaml")).isEqualTo(1);

        assertThat(line.err())
                .contains("there is no settings file /nowhere.yaml")
                .hasLineCount(1);
    }

    @Test
    void whatToTryNextNamesTheScriptWhereverItIs() {
        line.server = new StubServer(0, true);
        line.environment.put("RECALLGATE_HOME", "/opt/it's here");

        assertThat(line.run("demo")).isZero();

        assertThat(line.out()).contains("  '/opt/it'\\''s here/recallgate' status --url " + gateway.url());
    }

    @Test
    void withAKeyWhatToTryNextAsksForItInsteadOfShowingIt() {
        line.server = new StubServer(0, true);

        assertThat(line.run("demo", "--key", "sesame")).isZero();

        assertThat(line.out())
                .contains("export RECALLGATE_KEY=")
                .contains("-H \"x-recallgate-key: $RECALLGATE_KEY\"")
                .doesNotContain("sesame");
    }
}
