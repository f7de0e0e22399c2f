package io.recallgate.gateway.launch;

import static org.assertj.core.api.Assertions.assertThat;

import io.recallgate.gateway.postgres.Eventually;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The bounds of the embedding queue as an operator sets them, on a gateway with the real model. */
@Timeout(600)
class QueueLimitsProcessTest {

    /** Of 32, a sixteenth is for queries. */
    private static final int DOCUMENTS = 30;

    private static final int MEBIBYTE = 1 << 20;

    @TempDir
    Path directory;

    private final HttpClient client = HttpClient.newHttpClient();

    @Test
    void aBurstBeyondTheOperationsOrBytesOfTheEnvironmentIsToldToComeBack() throws Exception {
        try (GatewayProcess gateway = GatewayProcess.start(
                        directory,
                        Map.of(
                                "RECALLGATE_EMBEDDING_PROVIDER", "local",
                                "RECALLGATE_EMBEDDING_WORKERS", "1",
                                "RECALLGATE_QUEUE_OPERATIONS", "32",
                                "RECALLGATE_QUEUE_BYTES", Integer.toString(MEBIBYTE)))
                .awaitReady()) {
            String model = model(gateway);

            // Small, and so many rows that one worker needs long for any of them.
            burst(gateway, DOCUMENTS, 8, number -> body(model, number, 300, 10));

            // Two of these fit into seven eighths of a mebibyte.
            burst(gateway, 2, 3, number -> body(model, number, 1_000, 160));
        }
    }

    private interface Bodies {
        String of(int number);
    }

    /** So many are let in, the others are refused, and all let go. */
    private void burst(GatewayProcess gateway, int letIn, int beyond, Bodies bodies) throws Exception {
        List<CompletableFuture<HttpResponse<String>>> waiting = new ArrayList<>();
        for (int i = 0; i < letIn; i++) {
            waiting.add(client.sendAsync(request(gateway, bodies.of(i)), HttpResponse.BodyHandlers.ofString()));
            // One after the other: of large ones, only a few are made ready at once, and that is another bound.
            int operations = i + 1;
            Eventually.holds(operations + " operations", 60, () -> {
                assertThat(waiting).as("those that are let in").allSatisfy(one -> assertThat(
                                one.isDone() ? one.join().body() : "none yet")
                        .isEqualTo("none yet"));
                return operations(gateway) == operations;
            });
        }
        for (int i = 0; i < beyond; i++) {
            HttpResponse<String> refused = client.sendAsync(
                            request(gateway, bodies.of(letIn + i)), HttpResponse.BodyHandlers.ofString())
                    .get(60, TimeUnit.SECONDS);
            assertThat(refused.statusCode()).as(refused.body()).isEqualTo(429);
            assertThat(Integer.parseInt(
                            refused.headers().firstValue("retry-after").orElseThrow()))
                    .isBetween(1, 120);
            assertThat(new JsonObject(refused.body()).getJsonObject("error").getString("message"))
                    .contains("the embedding queue is full");
        }
        assertThat(waiting).as("those that were let in").noneMatch(CompletableFuture::isDone);
        // Their clients leave, and with them their work.
        waiting.forEach(one -> one.cancel(true));
        Eventually.holds("an empty queue", 60, () -> operations(gateway) == 0);
    }

    private static String body(String model, int number, int rows, int words) {
        JsonArray input = new JsonArray();
        for (int row = 0; row < rows; row++) {
            input.add(number + " " + row + " " + "a ".repeat(words));
        }
        return new JsonObject().put("model", model).put("input", input).encode();
    }

    private String model(GatewayProcess gateway) throws IOException, InterruptedException {
        return get(gateway, "/v1/models").getJsonArray("data").getJsonObject(0).getString("id");
    }

    private int operations(GatewayProcess gateway) {
        try {
            return get(gateway, "/v1/workers").getJsonObject("queue").getInteger("operations");
        } catch (IOException | InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private JsonObject get(GatewayProcess gateway, String path) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(uri(gateway, path)).build();
        return new JsonObject(
                client.send(request, HttpResponse.BodyHandlers.ofString()).body());
    }

    private static HttpRequest request(GatewayProcess gateway, String body) {
        return HttpRequest.newBuilder(uri(gateway, "/v1/embeddings"))
                .header("content-type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(body))
                .build();
    }

    private static URI uri(GatewayProcess gateway, String path) {
        return URI.create("http://127.0.0.1:" + gateway.port() + path);
    }
}
