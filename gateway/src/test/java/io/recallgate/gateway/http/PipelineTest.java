package io.recallgate.gateway.http;

import static io.recallgate.gateway.http.Wire.QUERY;
import static io.recallgate.gateway.http.Wire.next;
import static io.recallgate.gateway.http.Wire.post;
import static io.recallgate.gateway.http.Wire.send;
import static io.recallgate.gateway.http.Wire.statusLine;
import static org.assertj.core.api.Assertions.assertThat;

import io.recallgate.embedding.api.WorkerOperations;
import io.recallgate.gateway.http.pipeline.HttpOptions;
import io.recallgate.gateway.runtime.GatewayRuntime.Phase;
import io.recallgate.recall.api.RecallRequest;
import io.recallgate.recall.api.RecallResponse;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.Socket;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What happens around every route: phases, ids, places, deadlines and defects. */
class PipelineTest {

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
    @EnumSource(
            value = Phase.class,
            names = {"STARTING", "STOPPING"})
    void exceptHealthEveryRouteSaysComeBackUntilTheGatewayIsReady(Phase phase) {
        gateway.runtime.phase = phase;
        gateway.runtime.health = new JsonObject().put("status", "starting");

        gateway.api.endpoints().stream()
                .filter(endpoint -> !endpoint.path().startsWith("/health"))
                .forEach(endpoint -> {
                    HttpResponse<String> response = gateway.send(
                            endpoint.method().name(), endpoint.path().replaceAll("\\{[a-z]+}", "0"), "{}");
                    assertThat(response.statusCode()).as(endpoint.path()).isEqualTo(503);
                    assertThat(response.headers().firstValue("retry-after")).isPresent();
                });
        assertThat(gateway.get("/health/live").statusCode()).isEqualTo(200);
        assertThat(gateway.get("/health/ready").statusCode()).isEqualTo(503);
        assertThat(gateway.get("/health").statusCode()).isEqualTo(503);
    }

    @Test
    void thatItLivesItKnowsWithoutAskingAnybody() {
        assertThat(gateway.get("/health/live").body()).isEqualTo("{\"status\":\"live\"}");
        assertThat(gateway.runtime.healthReads).hasValue(0);

        gateway.get("/health/ready");
        assertThat(gateway.runtime.healthReads).hasValue(1);
    }

    @Test
    void healthTellsDegradedFromUnavailable() {
        gateway.runtime.health = new JsonObject().put("status", "degraded").put("embedding", new JsonObject());
        assertThat(gateway.get("/health/ready").statusCode()).isEqualTo(200);
        assertThat(TestGateway.json(gateway.get("/health")).getString("status")).isEqualTo("degraded");

        gateway.runtime.health = new JsonObject().put("status", "unavailable");
        assertThat(gateway.get("/health/ready").statusCode()).isEqualTo(503);
        assertThat(gateway.get("/health").statusCode()).isEqualTo(503);
        assertThat(gateway.get("/health/live").statusCode()).isEqualTo(200);
    }

    @Test
    void aSaneRequestIdIsKeptAndAnyOtherReplaced() {
        assertThat(id("trace-1:a/b=c@d+e")).isEqualTo("trace-1:a/b=c@d+e");
        assertThat(id("<script>")).isNotEqualTo("<script>").hasSize(36);
        assertThat(id("x".repeat(129))).hasSize(36);
        assertThat(gateway.get("/nothing").headers().firstValue("x-request-id")).isPresent();
    }

    private String id(String wanted) {
        return gateway.get("/health/live", "x-request-id", wanted)
                .headers()
                .firstValue("x-request-id")
                .orElseThrow();
    }

    @Test
    void moreRequestsThanTheBoundAreRefusedAndPlacesComeBack() throws Exception {
        gateway.options = new HttpOptions(900_000, 1 << 20, 30_000, 1 << 20, 2);
        List<Promise<RecallResponse>> held = new ArrayList<>();
        gateway.runtime.recall = request -> {
            Promise<RecallResponse> promise = Promise.promise();
            synchronized (held) {
                held.add(promise);
            }
            return promise.future();
        };
        CompletableFuture<?> first = CompletableFuture.supplyAsync(() -> gateway.post("/v1/recall", QUERY));
        RecallRequest request = next(gateway.runtime.recalled);
        CompletableFuture<?> second = CompletableFuture.supplyAsync(() -> gateway.post("/v1/recall", QUERY));
        next(gateway.runtime.recalled);

        HttpResponse<String> third = gateway.post("/v1/recall", QUERY);

        assertThat(third.statusCode()).isEqualTo(429);
        assertThat(third.headers().firstValue("retry-after")).isPresent();
        assertThat(gateway.get("/health/ready").statusCode()).isEqualTo(200);
        synchronized (held) {
            held.forEach(promise -> promise.complete(ScriptedRuntime.emptyAnswer(request)));
        }
        CompletableFuture.allOf(first, second).get(60, TimeUnit.SECONDS);
        gateway.placesComeBack();
    }

    @Test
    void aServiceThatForgetsItsDeadlineIsAnsweredFor() {
        Promise<RecallResponse> never = Promise.promise();
        gateway.runtime.recall = request -> {
            request.cancel().onCancel(cause -> never.tryFail("cancelled"));
            return never.future();
        };

        HttpResponse<String> response = gateway.post("/v1/recall", QUERY, "x-recallgate-deadline-ms", "20");

        assertThat(response.statusCode()).isEqualTo(504);
        assertThat(TestGateway.json(response).getString("code")).isEqualTo("deadline-exceeded");
        gateway.placesComeBack();
    }

    @Test
    void aCallersDeadlineIsNeverLongerThanTheRequestsLifetime() throws InterruptedException {
        gateway.options = new HttpOptions(60_000, 1 << 20, 30_000, 1 << 20, 10);

        gateway.post("/v1/recall", QUERY, "x-recallgate-deadline-ms", "3000000");
        gateway.post("/v1/recall", "{\"query\":\"x\",\"deadline_ms\":20000}");

        assertThat(next(gateway.runtime.recalled).deadline().remainingMillis()).isBetween(1L, 60_000L);
        assertThat(next(gateway.runtime.recalled).deadline().remainingMillis()).isLessThanOrEqualTo(20_000);
    }

    @Test
    void aDefectIsA500WithoutItsMessage() {
        gateway.runtime.recall = request -> {
            throw new IllegalStateException("secret text");
        };

        HttpResponse<String> response = gateway.post("/v1/recall", QUERY);

        assertThat(response.statusCode()).isEqualTo(500);
        assertThat(response.body()).doesNotContain("secret");
        assertThat(TestGateway.json(response).getString("code")).isEqualTo("internal");
        gateway.placesComeBack();
    }

    @Test
    void anErrorOfTheVirtualMachineIsAnsweredTooAndItsPlaceComesBack() {
        gateway.runtime.workers = new OutOfMemory();

        HttpResponse<String> response = gateway.get("/v1/workers");

        assertThat(response.statusCode()).isEqualTo(500);
        assertThat(TestGateway.json(response).getString("code")).isEqualTo("internal");
        gateway.placesComeBack();
    }

    private static final class OutOfMemory implements WorkerOperations {
        @Override
        public Future<JsonObject> status() {
            throw new OutOfMemoryError("scripted");
        }

        @Override
        public Future<JsonObject> restart(int slot) {
            return status();
        }

        @Override
        public Future<JsonObject> replaceModel(String model) {
            return status();
        }
    }

    @Test
    void oneConnectionServesManyRequestsAlsoAfterRefusedOnes() throws IOException {
        try (Socket socket = gateway.connect()) {
            for (int i = 0; i < 3; i++) {
                send(socket, post("/v1/nothing", QUERY));
                assertThat(statusLine(socket)).startsWith("HTTP/1.1 404 ");
                skipRest(socket);
                send(socket, post("/v1/recall", QUERY));
                assertThat(statusLine(socket)).startsWith("HTTP/1.1 200 ");
                skipRest(socket);
            }
        }
    }

    private static void skipRest(Socket socket) throws IOException {
        int length = 0;
        for (String line = statusLine(socket); !line.isEmpty(); line = statusLine(socket)) {
            if (line.startsWith("content-length: ")) {
                length = Integer.parseInt(line.substring(16));
            }
        }
        socket.getInputStream().readNBytes(length);
    }
}
