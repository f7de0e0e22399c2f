package io.recallgate.gateway.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import io.recallgate.gateway.postgres.Eventually;
import io.recallgate.recall.api.DegradeReason;
import io.recallgate.recall.api.MemoryDraft;
import io.recallgate.recall.api.MemoryKind;
import io.recallgate.recall.api.MemoryQuery;
import io.recallgate.recall.api.MemoryState;
import io.recallgate.recall.api.RecallHit;
import io.recallgate.recall.api.RecallMode;
import io.recallgate.recall.api.RecallRequest;
import io.recallgate.recall.api.RecallResponse;
import io.recallgate.recall.api.Scope;
import io.recallgate.recall.read.ReadWorkers;
import io.recallgate.time.Deadline;
import io.recallgate.time.SystemClock;
import io.vertx.core.Future;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class NativeRoutesTest {

    private TestGateway gateway;

    @BeforeEach
    void start() {
        gateway = new TestGateway();
    }

    @AfterEach
    void stop() {
        gateway.close();
    }

    private String remember(String body) {
        HttpResponse<String> response = gateway.post("/v1/memories", body);
        assertThat(response.statusCode()).as(response.body()).isEqualTo(202);
        return TestGateway.json(response)
                .getJsonArray("memories")
                .getJsonObject(0)
                .getString("id");
    }

    @Test
    void aMemoryIsStoredReadChangedAndRemoved() {
        String id = remember("{\"content\":\"tea at five\",\"external_id\":\"e1\",\"author\":\"Mo\"}");

        JsonObject read = TestGateway.json(gateway.get("/v1/memories/" + id));
        assertThat(read.getString("content")).isEqualTo("tea at five");
        assertThat(read.getString("external_id")).isEqualTo("e1");
        assertThat(read.getString("kind")).isEqualTo("note");
        assertThat(read.getInteger("passages")).isZero();
        assertThat(read.getBoolean("incomplete")).isFalse();

        HttpResponse<String> patched = gateway.send(
                "PATCH",
                "/v1/memories/" + id,
                "{\"author\":null,\"pinned\":true}",
                "content-type",
                "application/merge-patch+json");
        assertThat(patched.statusCode()).isEqualTo(200);
        assertThat(TestGateway.json(patched).getValue("author")).isNull();
        assertThat(TestGateway.json(patched).getBoolean("pinned")).isTrue();

        HttpResponse<String> removed = gateway.send("DELETE", "/v1/memories/" + id, null);
        assertThat(removed.statusCode()).isEqualTo(204);
        assertThat(removed.body()).isEmpty();
        assertThat(gateway.get("/v1/memories/" + id).statusCode()).isEqualTo(404);
    }

    @Test
    void manyMemoriesAreStoredInOneRequestAndAnsweredInOrder() {
        JsonArray drafts = new JsonArray();
        for (int i = 0; i < 1_000; i++) {
            drafts.add(new JsonObject().put("content", "memory " + i).put("external_id", "e" + i));
        }

        HttpResponse<String> response = gateway.post("/v1/memories", new JsonObject().put("memories", drafts));

        JsonArray stored = TestGateway.json(response).getJsonArray("memories");
        assertThat(response.statusCode()).isEqualTo(202);
        assertThat(stored).hasSize(1_000);
        assertThat(stored.getJsonObject(999).getString("external_id")).isEqualTo("e999");
        assertThat(stored.getJsonObject(0).getString("state")).isEqualTo("pending");
    }

    @Test
    void listingPassesItsFiltersOn() throws InterruptedException {
        remember("{\"content\":\"x\",\"session\":\"s 1\"}");

        HttpResponse<String> response =
                gateway.get("/v1/memories?session=s%201&kind=turn&state=failed&limit=7&cursor=abc");

        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(TestGateway.json(response).getString("next_cursor")).isEqualTo("next");
        assertThat(gateway.runtime.memories.queries.poll(60, TimeUnit.SECONDS))
                .isEqualTo(new MemoryQuery("s 1", MemoryKind.TURN, MemoryState.FAILED, 7, "abc"));
        gateway.get("/v1/memories");
        assertThat(gateway.runtime.memories.queries.poll(60, TimeUnit.SECONDS))
                .isEqualTo(new MemoryQuery(null, null, null, 50, null));
    }

    @Test
    void aSessionIsRemovedWhole() {
        remember("{\"content\":\"a\",\"session\":\"s\"}");
        remember("{\"content\":\"b\",\"session\":\"s\"}");
        remember("{\"content\":\"c\"}");

        HttpResponse<String> response = gateway.send("DELETE", "/v1/memories?session=s", null);

        assertThat(TestGateway.json(response)).isEqualTo(new JsonObject().put("deleted", 2));
        assertThat(gateway.runtime.memories.count()).isEqualTo(1);
    }

    @Test
    void projectsOfAnOwnerAreApart() {
        String id = remember("{\"content\":\"x\"}");

        assertThat(gateway.get("/v1/memories/" + id, "x-recallgate-project", "other")
                        .statusCode())
                .isEqualTo(404);
        assertThat(gateway.get("/v1/memories/" + id).statusCode()).isEqualTo(200);
    }

    @Test
    void aRecallReachesItsServiceAsAsked() throws InterruptedException {
        HttpResponse<String> response = gateway.post(
                "/v1/recall",
                "{\"query\":\"when is tea?\",\"mode\":\"lexical\",\"limit\":3,\"session\":\"s\",\"kinds\":[\"turn\"],"
                        + "\"explain\":true}",
                "x-recallgate-project",
                "atlas");

        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(response.headers().firstValue("x-recallgate-degraded")).isEmpty();
        JsonObject body = TestGateway.json(response);
        assertThat(body.fieldNames())
                .containsExactly(
                        "recall_id", "mode", "degraded", "vector_coverage", "query_truncated", "hits", "timing_ms");
        assertThat(body.getJsonObject("timing_ms").getDouble("total")).isEqualTo(1.23);
        RecallRequest request = gateway.runtime.recalled.poll(60, TimeUnit.SECONDS);
        assertThat(request).isNotNull();
        assertThat(request.query()).isEqualTo("when is tea?");
        assertThat(request.mode()).isEqualTo(RecallMode.LEXICAL);
        assertThat(request.limit()).isEqualTo(3);
        assertThat(request.session()).isEqualTo("s");
        assertThat(request.kinds()).containsExactly(MemoryKind.TURN);
        assertThat(request.explain()).isTrue();
        assertThat(gateway.runtime.recallScopes.poll(60, TimeUnit.SECONDS)).isEqualTo(new Scope("local", "atlas"));
    }

    @ParameterizedTest
    @EnumSource(DegradeReason.class)
    void aDegradedAnswerIsLabelledInBodyAndHeader(DegradeReason reason) {
        gateway.runtime.recall = request -> Future.succeededFuture(new RecallResponse(
                new UUID(1, 1),
                RecallMode.HYBRID,
                RecallMode.LEXICAL,
                reason,
                null,
                List.of(),
                new RecallResponse.Timing(1, null, 1.0, null, null)));

        HttpResponse<String> response = gateway.post("/v1/recall", "{\"query\":\"x\"}");

        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(response.headers().firstValue("x-recallgate-degraded")).contains(reason.wireName());
        assertThat(TestGateway.json(response).getJsonObject("degraded"))
                .isEqualTo(new JsonObject().put("to", "lexical").put("reason", reason.wireName()));
    }

    @Test
    void theStatisticsAreOfTheWindowThatIsAskedForAndADayWithoutOne() throws InterruptedException {
        JsonObject stats = TestGateway.json(gateway.get("/v1/recall/stats"));

        assertThat(gateway.runtime.windows.poll(60, TimeUnit.SECONDS)).isEqualTo(Duration.ofHours(24));
        JsonObject hybrid = stats.getJsonObject("modes").getJsonObject("hybrid");
        assertThat(hybrid.getJsonObject("degraded"))
                .isEqualTo(new JsonObject()
                        .put("n", 5)
                        .put("share", 0.5)
                        .put(
                                "reasons",
                                new JsonObject().put("embedding-timeout", 4).put("model-mismatch", 1)));
        assertThat(hybrid.getInteger("knowledge_gaps")).isEqualTo(3);
        assertThat(hybrid.getJsonObject("total_ms").getDouble("p50")).isEqualTo(1.0);
        assertThat(stats.getString("advice")).contains("look after the embedding provider");
        assertThat(stats.getJsonObject("log").getInteger("dropped")).isEqualTo(7);

        for (String window : List.of("90s", "15m", "2h", "366d")) {
            assertThat(gateway.get("/v1/recall/stats?window=" + window).statusCode())
                    .isEqualTo(200);
        }
        assertThat(gateway.runtime.windows)
                .containsExactly(
                        Duration.ofSeconds(90), Duration.ofMinutes(15), Duration.ofHours(2), Duration.ofDays(366));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "0h", "24", "h", "-1h", "1w", "367d", "1000000000s", "1.5h"})
    void aWindowThatIsNoneIsRefusedByName(String window) {
        JsonObject problem =
                new JsonObject(gateway.get("/v1/recall/stats?window=" + window).body());
        assertThat(problem.getString("code")).isEqualTo("invalid-field");
        assertThat(problem.getString("field")).isEqualTo("window");
    }

    @Test
    void hitsOfManyMegabytesAreAnsweredWhole() {
        MemoryDraft draft = new MemoryDraft(
                "字".repeat(300_000), MemoryKind.DOCUMENT, null, null, null, null, false, null, new JsonObject());
        RecallHit hit =
                new RecallHit(ScriptedMemories.memory(new UUID(2, 2), draft, 1), 0.5, 1, null, Map.of(), Map.of());
        gateway.runtime.recall = request -> Future.succeededFuture(new RecallResponse(
                new UUID(1, 1),
                RecallMode.LEXICAL,
                RecallMode.LEXICAL,
                null,
                null,
                List.of(hit, hit, hit),
                new RecallResponse.Timing(1, null, 1.0, null, null)));

        JsonObject body = TestGateway.json(gateway.post("/v1/recall", "{\"query\":\"x\"}"));

        assertThat(body.getJsonArray("hits")).hasSize(3);
        assertThat(body.getJsonArray("hits").getJsonObject(2).getString("content"))
                .isEqualTo(draft.content());
    }

    @Test
    void aDatabaseThatIsGoneIsA503WithAHint() {
        gateway.runtime.memories.failing = new FailureException(
                        FailureCode.DATABASE_UNAVAILABLE, "the database is gone")
                .retryAfter(Duration.ofMillis(4_200));

        HttpResponse<String> response = gateway.post("/v1/memories", "{\"content\":\"x\"}");

        assertThat(response.statusCode()).isEqualTo(503);
        assertThat(response.headers().firstValue("retry-after")).contains("5");
    }

    @Test
    void jobsAreShownAndRetried() {
        JsonObject jobs = TestGateway.json(gateway.get("/v1/jobs"));

        assertThat(jobs.getJsonObject("counts").getInteger("failed")).isEqualTo(2);
        assertThat(jobs.getInteger("oldest_age_ms")).isEqualTo(1_500);
        assertThat(jobs.getJsonObject("reembedding"))
                .isEqualTo(new JsonObject()
                        .put("fingerprint", ScriptedRuntime.MODEL.fingerprint())
                        .put("memories", 5)
                        .put("embedded", 3)
                        .put("remaining", 2)
                        .put("passages", 7)
                        .put("incomplete", 1));
        assertThat(jobs.getJsonArray("errors").getJsonObject(0).getString("code"))
                .isEqualTo("embedding-failed");
        assertThat(TestGateway.json(gateway.send("POST", "/v1/jobs/retry", null))
                        .getInteger("retried"))
                .isEqualTo(2);
    }

    @Test
    void workersAreShownAndRestarted() {
        assertThat(TestGateway.json(gateway.get("/v1/workers")).getJsonArray("slots"))
                .hasSize(1);
        assertThat(gateway.send("POST", "/v1/workers/0/restart", null).statusCode())
                .isEqualTo(202);
        assertThat(gateway.send("POST", "/v1/workers/9/restart", null).statusCode())
                .isEqualTo(404);
        assertThat(gateway.send("POST", "/v1/workers/one/restart", null).statusCode())
                .isEqualTo(404);
    }

    @Test
    void aModelIsReplacedAndARefusalNamesTheField() {
        assertThat(replaceModel("{\"model\":\"e5-small-v2-q\"}").statusCode()).isEqualTo(202);
        for (String bad : List.of(
                "{\"model\":\"nowhere\"}",
                "{\"model\":\"\"}",
                "{\"model\":null}",
                "{}",
                "{\"model\":7}",
                "{\"model\":[\"x\"]}")) {
            HttpResponse<String> refused = replaceModel(bad);
            assertThat(refused.statusCode()).as(bad).isEqualTo(400);
            assertThat(TestGateway.json(refused).getString("field")).as(bad).isEqualTo("model");
            assertThat(TestGateway.json(refused).getString("code")).as(bad).isEqualTo("invalid-field");
        }
        HttpResponse<String> unknown = replaceModel("{\"model\":\"e5-small-v2-q\",\"force\":true}");
        assertThat(TestGateway.json(unknown).getString("code")).isEqualTo("unknown-field");
        assertThat(TestGateway.json(unknown).getString("field")).isEqualTo("force");
        assertThat(replaceModel("not json").statusCode()).isEqualTo(400);
    }

    private HttpResponse<String> replaceModel(String body) {
        return gateway.send("POST", "/v1/model", body);
    }

    @Test
    void settingsAreShownAndOverridden() throws InterruptedException {
        assertThat(gateway.get("/v1/settings").statusCode()).isEqualTo(200);
        assertThat(gateway.send("PATCH", "/v1/settings", "{\"EMBEDDING_TIMEOUT_MS\":100}")
                        .statusCode())
                .isEqualTo(200);
        assertThat(gateway.runtime.overrides.poll(60, TimeUnit.SECONDS))
                .isEqualTo(new JsonObject().put("EMBEDDING_TIMEOUT_MS", 100));

        HttpResponse<String> unknown = gateway.send("PATCH", "/v1/settings", "{\"NOPE\":1}");
        assertThat(unknown.statusCode()).isEqualTo(400);
        assertThat(TestGateway.json(unknown).getString("field")).isEqualTo("NOPE");
    }

    @Test
    void metricsShowRoutesAsTemplatesAndNeverIds() {
        String id = remember("{\"content\":\"x\"}");
        gateway.get("/v1/memories/" + id);
        gateway.get("/v1/memories/" + UUID.randomUUID());
        gateway.get("/secret-path");

        HttpResponse<String> response = gateway.get("/metrics");

        assertThat(response.headers().firstValue("content-type").orElseThrow()).startsWith("text/plain; version=0.0.4");
        assertThat(response.body())
                .contains("recallgate_http_request_duration_seconds_bucket{method=\"GET\",route=\"/v1/memories/{id}\"")
                .contains("recallgate_http_failures_total{code=\"not-found\",route=\"/v1/memories/{id}\"} 1.0")
                .contains("recallgate_http_requests_in_flight 0.0")
                .contains("recallgate_event_loop_lag_seconds_bucket")
                .doesNotContain(id)
                .doesNotContain("secret-path");
    }

    @Test
    void metricsAreShownWhileAllReadWorkersHang() throws Exception {
        CountDownLatch hanging = new CountDownLatch(2);
        CountDownLatch latch = new CountDownLatch(1);
        Deadline deadline = Deadline.afterMillis(SystemClock.INSTANCE, 60_000);
        for (int i = 0; i < 2; i++) {
            gateway.runtime
                    .readers()
                    .run(ReadWorkers.Ask.until(deadline), () -> {
                        hanging.countDown();
                        return latch.await(60, TimeUnit.SECONDS);
                    })
                    .onFailure(late -> latch.countDown());
        }
        Eventually.holds("both hang", 60, () -> hanging.getCount() == 0);

        HttpResponse<String> response = gateway.get("/metrics");

        assertThat(latch.getCount()).as("they still do").isOne();
        assertThat(response.statusCode()).isEqualTo(200);
        latch.countDown();
    }
}
