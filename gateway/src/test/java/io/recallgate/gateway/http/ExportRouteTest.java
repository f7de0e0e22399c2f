package io.recallgate.gateway.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import io.recallgate.gateway.http.transfer.TransferOptions;
import io.recallgate.recall.api.ExportPage;
import io.recallgate.recall.api.ExportQuery;
import io.recallgate.recall.api.ExportedMemory;
import io.recallgate.recall.api.MemoryDraft;
import io.recallgate.recall.api.MemoryKind;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.Socket;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** {@code GET /v1/export} over real connections, with a scripted service behind. */
@Timeout(300)
class ExportRouteTest extends TransferRouteTest {

    private static ExportedMemory memory(String content) {
        return new ExportedMemory(
                UUID.fromString("01890a5d-ac96-774b-bcce-b302099a8057"),
                new MemoryDraft(
                        content,
                        MemoryKind.TURN,
                        "user",
                        "Mina",
                        "s1",
                        Instant.parse("2026-05-08T13:56:00.123456Z"),
                        true,
                        null,
                        new JsonObject().put("a", 1)));
    }

    /** So many parts with one memory each. */
    private static Future<ExportPage> part(ExportQuery query, int parts, String content) {
        long next = query.after() + 1;
        return Future.succeededFuture(new ExportPage(
                List.of(memory(content)), next < parts ? new ExportQuery(query.session(), next, 1_000L) : null));
    }

    @Test
    void everyFieldOfEveryPartIsALine() {
        TestGateway gateway = gateway(PATIENT);
        gateway.runtime.memories.export = query -> part(query, 3, "京都 🏯 " + query.after() + "\n");

        HttpResponse<String> response = gateway.get("/v1/export");

        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(response.headers().firstValue("content-type")).hasValue("application/x-ndjson");
        assertThat(response.body().lines()).hasSize(3);
        assertThat(new JsonObject(response.body().lines().toList().get(1)))
                .isEqualTo(new JsonObject()
                        .put("id", "01890a5d-ac96-774b-bcce-b302099a8057")
                        .put("content", "京都 🏯 1\n")
                        .put("kind", "turn")
                        .put("role", "user")
                        .put("author", "Mina")
                        .put("session", "s1")
                        .put("occurred_at", "2026-05-08T13:56:00.123456Z")
                        .put("pinned", true)
                        .put("external_id", null)
                        .put("metadata", new JsonObject().put("a", 1)));
    }

    @Test
    void theSessionIsPassedOnAndNothingIsAnEmptyFile() {
        TestGateway gateway = gateway(PATIENT);
        BlockingQueue<ExportQuery> asked = new LinkedBlockingQueue<>();
        gateway.runtime.memories.export = query -> {
            asked.add(query);
            return Future.succeededFuture(new ExportPage(List.of(), null));
        };

        HttpResponse<String> response = gateway.get("/v1/export?session=a%20b");

        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(response.body()).isEmpty();
        assertThat(asked).containsExactly(ExportQuery.of("a b"));
        assertThat(gateway.send("HEAD", "/v1/export", null).statusCode()).isEqualTo(200);
        assertThat(gateway.get("/v1/export?session=").statusCode()).isEqualTo(400);
    }

    @Test
    void aFailureBeforeTheFirstLineIsAnOrdinaryProblem() {
        TestGateway gateway = gateway(new TransferOptions(1, 1, 20_000, 50, 20));
        gateway.runtime.memories.export = query -> away();

        HttpResponse<String> response = gateway.get("/v1/export");

        assertThat(response.statusCode()).isEqualTo(503);
        assertThat(TestGateway.json(response).getString("code")).isEqualTo("database-unavailable");
    }

    private static <T> Future<T> away() {
        return Future.failedFuture(new FailureException(FailureCode.DATABASE_UNAVAILABLE, "out of reach"));
    }

    @Test
    void aDatabaseThatComesBackInTimeIsWaitedFor() {
        TestGateway gateway = gateway(PATIENT);
        AtomicInteger tries = new AtomicInteger();
        gateway.runtime.memories.export =
                query -> query.after() == 1 && tries.incrementAndGet() < 3 ? away() : part(query, 3, "x");

        assertThat(gateway.get("/v1/export").body().lines()).hasSize(3);
    }

    @Test
    void aFailureInTheMiddleSaysSoInALastLineAndNoClientTakesItForTheEnd() throws IOException {
        TestGateway gateway = gateway(new TransferOptions(1, 1, 20_000, 50, 20));
        gateway.runtime.memories.export = query -> query.after() == 2 ? away() : part(query, 5, "x");

        String answer;
        try (Socket socket = gateway.connect()) {
            ask(gateway, socket);
            answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        }

        assertThat(answer)
                .contains("{\"incomplete\":true,\"code\":\"database-unavailable\",\"detail\":\"out of reach\"}\n")
                // The chunk of no length that would end the body.
                .doesNotContain("\r\n0\r\n");
        assertThat(gateway.get("/metrics").body())
                .contains("recallgate_http_failures_total{code=\"database-unavailable\",route=\"/v1/export\"} 1.0")
                .contains("method=\"GET\",route=\"/v1/export\",status=\"503\"");
        awaitPlace(gateway);
    }

    private static void ask(TestGateway gateway, Socket socket) throws IOException {
        socket.getOutputStream()
                .write(("GET /v1/export HTTP/1.1\r\nhost: 127.0.0.1:" + gateway.port + "\r\n\r\n")
                        .getBytes(StandardCharsets.US_ASCII));
    }

    @Test
    void aClientThatDoesNotReadIsNotReadFor() throws Exception {
        TestGateway gateway = gateway(new TransferOptions(1, 1, 1_000, 20_000, 20));
        AtomicInteger parts = new AtomicInteger();
        String megabyte = "x".repeat(1 << 20);
        gateway.runtime.memories.export = query -> {
            parts.incrementAndGet();
            return part(query, 200, megabyte);
        };
        try (Socket socket = gateway.connect()) {
            ask(gateway, socket);
            while (parts.get() == 0) {
                Thread.onSpinWait();
            }
            // The one export is given up, and its place is free again, without that anybody has read.
            awaitFree(gateway);
        }
        // What the kernels on both sides buffer, a part in flight, and no more.
        assertThat(parts.get()).isLessThan(100);
    }

    private static void awaitFree(TestGateway gateway) {
        long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        int status = 429;
        while (status == 429 && System.nanoTime() < until) {
            status = gateway.send("HEAD", "/v1/export", null).statusCode();
        }
        assertThat(status).isEqualTo(200);
    }

    @Test
    void aClientThatLeavesFreesItsPlace() throws Exception {
        TestGateway gateway = gateway(PATIENT);
        Promise<ExportPage> held = Promise.promise();
        BlockingQueue<ExportQuery> asked = new LinkedBlockingQueue<>();
        gateway.runtime.memories.export = query -> {
            asked.add(query);
            return asked.size() == 2 ? held.future() : part(query, 5, "x");
        };
        try (Socket socket = gateway.connect()) {
            ask(gateway, socket);
            while (asked.size() < 2) {
                Thread.onSpinWait();
            }
            assertThat(gateway.get("/v1/export").statusCode()).isEqualTo(429);
        }
        awaitPlace(gateway);
        held.complete(new ExportPage(List.of(), null));
    }

    private static void awaitPlace(TestGateway gateway) {
        awaitFree(gateway);
        gateway.awaitMetric("recallgate_http_requests_in_flight 0.0");
    }
}
