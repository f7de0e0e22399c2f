package io.recallgate.gateway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.recallgate.gateway.cli.GatewayStub.Reply;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class StatusCommandTest {

    private final CommandLineRun line = new CommandLineRun();
    private GatewayStub gateway;

    @BeforeEach
    void startStub() throws IOException {
        gateway = new GatewayStub()
                .on(
                        "GET /health",
                        Reply.ok(new JsonObject()
                                .put("status", "ready")
                                .put(
                                        "database",
                                        new JsonObject().put("status", "ready").put("ping_ms", 2))))
                .on(
                        "GET /v1/workers",
                        Reply.ok(new JsonObject()
                                .put(
                                        "slots",
                                        new JsonArray()
                                                .add(new JsonObject()
                                                        .put("slot", 0)
                                                        .put("state", "running")
                                                        .put("generation", 3)
                                                        .put("model", "e5-small-v2-q")
                                                        .put("state_age_ms", 2_460)
                                                        .put("loads", 2)
                                                        .put("charged_bytes", 67L << 20)
                                                        .put("retry_debt", 1)))
                                .put(
                                        "queue",
                                        new JsonObject()
                                                .put(
                                                        "queries",
                                                        new JsonObject()
                                                                .put("depth", 0)
                                                                .put("oldest_age_ms", 0))
                                                .put(
                                                        "documents",
                                                        new JsonObject()
                                                                .put("depth", 12)
                                                                .put("oldest_age_ms", 300)))
                                .put("quarantined", 1)
                                .put(
                                        "throughput",
                                        new JsonObject()
                                                .put("window_ms", 10_000)
                                                .put("rows_per_second", 12.25)
                                                .put("tokens_per_second", 1_340.0))
                                .put("counters", new JsonObject().put("rows", 7).put("terminations", 3))
                                .put(
                                        "dropped",
                                        new JsonObject().put("started", 2).put("ready", 0))
                                .put(
                                        "memory_gate",
                                        new JsonObject()
                                                .put("budget_bytes", 900L << 20)
                                                .put("charged_bytes", 120L << 20))))
                .on(
                        "GET /v1/jobs",
                        Reply.ok(new JsonObject()
                                .put(
                                        "counts",
                                        new JsonObject().put("available", 4).put("done", 188))
                                .put("oldest_age_ms", 1_500)
                                .put(
                                        "reembedding",
                                        new JsonObject()
                                                .put("memories", 200)
                                                .put("embedded", 188)
                                                .put("passages", 190)
                                                .put("incomplete", 1))))
                .on(
                        "GET /v1/probes",
                        Reply.ok(new JsonObject()
                                .put(
                                        "probes",
                                        new JsonArray()
                                                .add(new JsonObject()
                                                        .put("name", "knowledge")
                                                        .put("state", "failed")
                                                        .put("cause", "embedding-timeout")
                                                        .put("age_ms", 12_340)
                                                        .put("failures", 2)
                                                        .put(
                                                                "result",
                                                                new JsonObject()
                                                                        .put("cause", "embedding-timeout")
                                                                        .put("detail", "look at the provider")
                                                                        .put("mode", "lexical")
                                                                        .put("span_ms", 2_501.5))
                                                        .put(
                                                                "next",
                                                                new JsonObject()
                                                                        .put("in_ms", 47_660)
                                                                        .put("waits_for", "backoff"))
                                                        .put(
                                                                "counts",
                                                                new JsonObject()
                                                                        .put(
                                                                                "attempts",
                                                                                new JsonObject()
                                                                                        .put("healthy", 7)
                                                                                        .put("failed", 2))
                                                                        .put(
                                                                                "skipped_ticks",
                                                                                new JsonObject().put("backoff", 3)))
                                                        .put(
                                                                "warnings",
                                                                new JsonArray()
                                                                        .add(new JsonObject()
                                                                                .put(
                                                                                        "detail",
                                                                                        "ticks are left out")))))))
                .on(
                        "GET /v1/recall/stats",
                        Reply.ok(new JsonObject()
                                .put("window_seconds", 86_400)
                                .put(
                                        "modes",
                                        new JsonObject()
                                                .put(
                                                        "hybrid",
                                                        new JsonObject()
                                                                .put("n", 1_200)
                                                                .put("slow", 2)
                                                                .put("failed", 0)
                                                                .put("knowledge_gaps", 7)
                                                                .put(
                                                                        "degraded",
                                                                        new JsonObject()
                                                                                .put("n", 30)
                                                                                .put("share", 0.025))
                                                                .put(
                                                                        "total_ms",
                                                                        new JsonObject()
                                                                                .put("p50", 12.34)
                                                                                .put("p95", 40.0)
                                                                                .put("max", 2_600.5))))
                                .put("advice", "look after it")
                                .put("log", new JsonObject().put("dropped", 3))))
                .on("GET /metrics", new Reply(200, """
                                # TYPE recallgate_recall_degraded_total counter
                                recallgate_recall_degraded_total{reason="embedding-timeout"} 3.0
                                recallgate_recall_seconds_count{requested="hybrid",served="hybrid"} 9
                                recallgate_recall_seconds_count{requested="hybrid",served="lexical"} 3
                                recallgate_recall_seconds_count{requested="lexical",served="lexical"} 5
                                """, Map.of()));
        line.environment.put("RECALLGATE_URL", gateway.url());
    }

    @AfterEach
    void stopStub() {
        gateway.close();
    }

    @Test
    void aPersonSeesPartsWorkersJobsAndDegradation() {
        assertThat(line.run("status")).isZero();

        assertThat(line.out())
                .contains("gateway  ready")
                .contains("database  ready   ping_ms 2")
                .contains("0  running           3  2.5 s  e5-small-v2-q      2   67 MiB     1")
                .contains("12.3 rows/s, 1,340.0 tokens/s over 10 s, quarantined 1, terminations 3, late started 2")
                .contains("queue    queries 0, documents 12 (oldest 300 ms), memory 120 of 900 MiB charged")
                .contains("available 4, done 188  (the oldest waits for 1.5 s)")
                .contains(
                        "vectors  of 188 of 200 memories, in 190 passages, 1 with text that is found by its words only")
                .contains("hybrid in 24 h: 1,200, p50 12.3 ms, p95 40.0 ms, max 2,600.5 ms, 2.5 % degraded, 2 slow,"
                        + " 7 found nothing")
                .contains("advice: look after it")
                .contains("3 recalls are missing in these figures")
                .contains("17 since the start, 12 of them hybrid, 25.0 % of these degraded (embedding-timeout 3)")
                .contains(
                        "knowledge  failed  12.3 s  lexical  2,502 ms         9        3         2  in 47.7 s (backoff)")
                .contains("knowledge: embedding-timeout: look at the provider")
                .contains("knowledge: ticks are left out");
    }

    @Test
    void aScriptGetsOneObject() {
        assertThat(line.run("status", "--json")).isZero();

        JsonObject status = new JsonObject(line.out());
        assertThat(status.fieldNames())
                .containsExactly("health", "workers", "jobs", "probes", "recalls", "recall_stats");
        assertThat(status.getJsonObject("recalls").getDouble("share")).isEqualTo(0.25);
    }

    @Test
    void aGatewayThatIsNotReadyShowsWhyAndFails() {
        gateway.on(
                        "GET /health",
                        new Reply(
                                503,
                                new JsonObject()
                                        .put("status", "starting")
                                        .put("embedding", new JsonObject().put("status", "loading"))
                                        .encode(),
                                Map.of()))
                .on(
                        "GET /v1/workers",
                        Reply.problem(503, "not-ready", "starting").retryAfter(1));

        assertThat(line.run("status")).isEqualTo(1);

        assertThat(line.out()).contains("gateway  starting").contains("embedding  loading");
        assertThat(line.pauses).isEmpty();
    }

    @Test
    void aKeyIsAskedForWhenItIsMissing() {
        gateway.on("GET /v1/workers", Reply.problem(401, "unauthenticated", "no key"));

        assertThat(line.run("status")).isEqualTo(1);

        assertThat(line.err()).contains("--key").hasLineCount(1);
    }

    @Test
    void aGatewayThatDoesNotRunIsToldInOneLine() {
        gateway.close();

        assertThat(line.run("status")).isEqualTo(1);

        assertThat(line.err()).contains("no gateway runs at").hasLineCount(1);
    }
}
