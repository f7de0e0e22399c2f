package io.recallgate.gateway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.recallgate.gateway.cli.GatewayStub.Reply;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class BenchRecallCommandTest {

    private final CommandLineRun line = new CommandLineRun();
    private GatewayStub gateway;

    @BeforeEach
    void startStub() throws IOException {
        gateway = new GatewayStub()
                .on("POST /v1/memories", request -> {
                    JsonArray answer = new JsonArray();
                    request.json().getJsonArray("memories").forEach(memory -> answer.add(new JsonObject()));
                    return new Reply(
                            202, new JsonObject().put("memories", answer).encode(), Map.of());
                })
                .on("GET /v1/jobs", Reply.ok(new JsonObject().put("counts", new JsonObject())))
                .on("GET /metrics", lag(0), lag(100))
                .on(
                        "POST /v1/recall",
                        Reply.ok(new JsonObject()
                                .putNull("degraded")
                                .put("timing_ms", new JsonObject().put("total", 2.5))));
        line.environment.put("RECALLGATE_URL", gateway.url());
    }

    @AfterEach
    void stopStub() {
        gateway.close();
    }

    private static Reply lag(int samples) {
        return new Reply(200, """
                recallgate_event_loop_lag_seconds_bucket{le="0.005"} %d
                recallgate_event_loop_lag_seconds_bucket{le="0.02"} %d
                recallgate_event_loop_lag_seconds_bucket{le="+Inf"} %d
                """.formatted(samples * 9 / 10, samples, samples), Map.of());
    }

    @Test
    void hybridAndLexicalTakeTurnsAndAreMeasuredAfterTheWarmUp() {
        assertThat(line.run("bench", "recall", "--memories", "7", "--rounds", "4", "--warm", "2", "--json"))
                .isZero();

        List<String> modes = gateway.requests("POST /v1/recall").stream()
                .map(request -> request.json().getString("mode"))
                .toList();
        assertThat(modes).hasSize(12).startsWith("hybrid", "lexical", "hybrid", "lexical");
        JsonObject figures = new JsonObject(line.out());
        assertThat(figures.getJsonObject("hybrid_ms").getInteger("n")).isEqualTo(4);
        assertThat(figures.getJsonObject("hybrid_gateway_ms").getDouble("p50")).isEqualTo(2.5);
        assertThat(figures.getDouble("event_loop_lag_p99_ms")).isEqualTo(20);
        assertThat(gateway.requests("POST /v1/memories").get(0).header("x-recallgate-project"))
                .isEqualTo("bench-7-1");
    }

    @Test
    void severalClientsAskAtTheSameTime() {
        assertThat(line.run(
                        "bench",
                        "recall",
                        "--memories",
                        "7",
                        "--rounds",
                        "20",
                        "--warm",
                        "2",
                        "--clients",
                        "4",
                        "--json"))
                .isZero();

        assertThat(gateway.requests("POST /v1/recall")).hasSize(44);
        JsonObject figures = new JsonObject(line.out());
        assertThat(figures.getInteger("clients")).isEqualTo(4);
        assertThat(figures.getJsonObject("lexical_gateway_ms").getInteger("n")).isEqualTo(20);
    }

    @Test
    void aRefusedRecallEndsTheMeasuring() {
        gateway.on("POST /v1/recall", new Reply(400, "{\"detail\":\"no such mode\"}", Map.of()));

        assertThat(line.run("bench", "recall", "--memories", "7", "--rounds", "4", "--clients", "2"))
                .isEqualTo(1);

        assertThat(line.err()).contains("the gateway refused: no such mode");
    }

    @Test
    void aPersonGetsATable() {
        assertThat(line.run("bench", "recall", "--memories", "7", "--rounds", "4", "--warm", "0"))
                .isZero();

        assertThat(line.out())
                .containsPattern("hybrid +gateway +4 +2\\.50 +2\\.50 +2\\.50")
                .contains("7 memories, 1 client, 0 of 4 hybrid answers degraded, event-loop lag p99 at most 20.0 ms");
    }

    @Test
    void benchAloneSaysWhatItCanMeasure() {
        assertThat(line.run("bench")).isEqualTo(2);

        assertThat(line.err())
                .contains("'recall', 'sessions', 'relay', 'replay', 'stalled', 'probes', 'start' or 'metrics'");
    }
}
