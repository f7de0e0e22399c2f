package io.recallgate.gateway.launch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.recallgate.gateway.cli.client.GatewayAddress;
import io.recallgate.gateway.cli.client.Pauses;
import io.recallgate.gateway.cli.console.CommandFailedException;
import io.recallgate.gateway.cli.importing.ImportFile;
import io.recallgate.gateway.cli.importing.ImportReport;
import io.recallgate.gateway.cli.importing.StreamedImport;
import io.recallgate.time.SystemClock;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Imports and exports of a whole gateway with its PostgreSQL. */
@Timeout(300)
class TransferProcessTest {

    @TempDir
    Path directory;

    private final HttpClient http = HttpClient.newHttpClient();

    private GatewayProcess start() throws Exception {
        return GatewayProcess.start(
                        directory,
                        Map.of("RECALLGATE_DATA_DIR", directory.resolve("data").toString()))
                .awaitReady();
    }

    @Test
    void anExportStoresTheSameMemoriesElsewhereAndNoneTwice() throws Exception {
        List<String> lines = memories(3_000);
        try (GatewayProcess gateway = start()) {
            JsonObject first = imported(gateway, "from", lines);
            List<String> exported = exported(gateway, "from", "");

            JsonObject elsewhere = imported(gateway, "to", exported);
            JsonObject elsewhereAgain = imported(gateway, "to", exported);
            JsonObject back = imported(gateway, "from", exported);

            assertThat(first.getInteger("stored")).isEqualTo(3_000);
            assertThat(elsewhere.getInteger("stored")).isEqualTo(3_000);
            assertThat(elsewhereAgain.getInteger("unchanged")).isEqualTo(3_000);
            assertThat(back.getInteger("unchanged")).isEqualTo(3_000);
            assertThat(exported(gateway, "from", "")).isEqualTo(exported);
            List<JsonObject> arrived = withoutId(exported(gateway, "to", ""));
            assertThat(arrived).isEqualTo(withoutId(exported));
            for (int i = 0; i < lines.size(); i++) {
                JsonObject sent = new JsonObject(lines.get(i));
                JsonObject came = arrived.get(i);
                sent.forEach(field -> assertThat(came.getValue(field.getKey()))
                        .as(field.getKey())
                        .isEqualTo(field.getValue()));
            }
            assertThat(exported(gateway, "to", "?session=s1")).hasSize((int)
                    lines.stream().filter(line -> line.contains("\"s1\"")).count());
        }
    }

    @Test
    void anImportThatAKilledGatewayInterruptedIsRunAgainAndStoresEachMemoryOnce() throws Exception {
        List<String> lines = new ArrayList<>();
        for (int i = 0; i < 20_000; i++) {
            // Every third one has a name of its own, and some are word for word the same.
            lines.add(
                    i % 3 == 0
                            ? "{\"content\":\"named " + i + "\",\"external_id\":\"e" + i + "\"}"
                            : "{\"content\":\"said " + i % 1_000 + "\"}");
        }
        Path file = Files.write(directory.resolve("lines.ndjson"), lines);
        long before;
        try (GatewayProcess gateway = start()) {
            assertThatThrownBy(() -> run(gateway, file, (accepted, position, size) -> {
                        if (accepted >= 2_000) {
                            kill(gateway);
                        }
                    }))
                    .isInstanceOf(CommandFailedException.class)
                    .hasMessageContaining("no memory of the same file is stored twice");
        }
        try (GatewayProcess gateway = start()) {
            before = exported(gateway, "", "").size();
            assertThat(before).isBetween(2_000L, 19_999L);

            ImportReport report = run(gateway, file, (accepted, position, size) -> {});

            assertThat(report.unchanged()).isEqualTo(before);
            assertThat(report.stored()).isEqualTo(20_000 - before);
            assertThat(exported(gateway, "", ""))
                    .extracting(line -> new JsonObject(line).getString("content"))
                    .isEqualTo(lines.stream()
                            .map(line -> new JsonObject(line).getString("content"))
                            .toList());
        }
    }

    @Test
    void aStopTellsARunningImportHowFarItCame() throws Exception {
        try (GatewayProcess gateway = start();
                Socket socket = new Socket(InetAddress.getLoopbackAddress(), gateway.port())) {
            String line = "{\"content\":\"kept\"}\n";
            socket.getOutputStream()
                    .write(("POST /v1/memories/import HTTP/1.1\r\nhost: 127.0.0.1:" + gateway.port()
                                    + "\r\ncontent-type: application/x-ndjson\r\ntransfer-encoding: chunked\r\n\r\n"
                                    + Integer.toHexString(line.length()) + "\r\n" + line + "\r\n")
                            .getBytes(StandardCharsets.US_ASCII));
            BufferedReader answer =
                    new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
            assertThat(next(answer).getInteger("stored")).isEqualTo(1);

            gateway.terminate();

            JsonObject last = next(answer);
            assertThat(last.getBoolean("done")).isFalse();
            assertThat(last.getString("code")).isEqualTo("shutting-down");
            assertThat(last.getInteger("stored")).isEqualTo(1);
            assertThat(gateway.awaitExit()).isZero();
        }
    }

    private static JsonObject next(BufferedReader answer) throws IOException {
        String line = "";
        while (!line.startsWith("{")) {
            line = answer.readLine();
            assertThat(line).as("the answer goes on").isNotNull();
        }
        return new JsonObject(line);
    }

    private static void kill(GatewayProcess gateway) {
        try {
            gateway.kill();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private static ImportReport run(GatewayProcess gateway, Path file, StreamedImport.Progress progress) {
        return new StreamedImport(
                        GatewayAddress.of("http://127.0.0.1:" + gateway.port(), null, null),
                        null,
                        SystemClock.INSTANCE,
                        Pauses.real(),
                        progress)
                .run(new ImportFile(file.toString(), InputStream.nullInputStream()), Duration.ofSeconds(30));
    }

    /** Every field, in all its forms; a third of them without an external id. */
    private static List<String> memories(int count) {
        Random random = new Random(7);
        String[] texts = {
            "plain", "京都 🏯", "quote \" \\ / \b\t\r\n", "\u0001\u007f\u2028", "café cafe\u0301", "ﷺ\u202ex"
        };
        String[] kinds = {"note", "turn", "document"};
        List<String> lines = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            JsonObject memory = new JsonObject().put("content", texts[i % texts.length] + " " + i);
            memory.put("kind", kinds[i % 3]);
            memory.put("pinned", i % 5 == 0);
            if (i % 2 == 0) {
                memory.put("role", "user").put("author", texts[1]).put("session", "s" + i % 4);
            }
            if (i % 3 != 0) {
                memory.put("external_id", texts[1] + "/" + i);
                // To the microsecond, from before the epoch to far ahead.
                memory.put(
                        "occurred_at",
                        Instant.ofEpochSecond(random.nextLong(-2_000_000_000L, 8_000_000_000L))
                                .plus(random.nextInt(1_000_000), ChronoUnit.MICROS)
                                .toString());
            }
            if (i % 7 == 0) {
                memory.put(
                        "metadata",
                        new JsonObject()
                                .put(
                                        "z",
                                        new JsonArray()
                                                .add(1)
                                                .add(-2.5)
                                                .add(1L << 53)
                                                .add(true)
                                                .addNull())
                                .put("a", new JsonObject().put(texts[3], texts[2]))
                                .put("", 0.1));
            }
            lines.add(memory.encode());
        }
        return lines;
    }

    private static List<JsonObject> withoutId(List<String> lines) {
        List<JsonObject> memories = new ArrayList<>();
        for (String line : lines) {
            Map<String, Object> fields = new HashMap<>(new JsonObject(line).getMap());
            fields.remove("id");
            memories.add(new JsonObject(fields));
        }
        return memories;
    }

    private JsonObject imported(GatewayProcess gateway, String project, List<String> lines) throws Exception {
        HttpRequest request = request(gateway, project, "/v1/memories/import")
                .header("content-type", "application/x-ndjson")
                .POST(BodyPublishers.ofString(String.join("\n", lines)))
                .build();
        List<String> answer =
                http.send(request, BodyHandlers.ofString()).body().lines().toList();
        JsonObject last = new JsonObject(answer.get(answer.size() - 1));
        assertThat(last.getBoolean("done")).as(last.encode()).isTrue();
        assertThat(last.getJsonArray("rejected")).isEmpty();
        return last;
    }

    private List<String> exported(GatewayProcess gateway, String project, String query)
            throws IOException, InterruptedException {
        return http.send(request(gateway, project, "/v1/export" + query).GET().build(), BodyHandlers.ofString())
                .body()
                .lines()
                .toList();
    }

    private static HttpRequest.Builder request(GatewayProcess gateway, String project, String path) {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + gateway.port() + path))
                .timeout(Duration.ofMinutes(2));
        return project.isEmpty() ? request : request.header("x-recallgate-project", project);
    }
}
