package io.recallgate.gateway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.recallgate.gateway.cli.GatewayStub.Reply;
import io.recallgate.gateway.cli.GatewayStub.Request;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ImportCommandTest {

    private static final String STORE = "POST /v1/memories";

    @TempDir
    Path directory;

    private final CommandLineRun line = new CommandLineRun();
    private final Map<String, String> stored = new HashMap<>();
    private GatewayStub gateway;

    @BeforeEach
    void startStub() throws IOException {
        gateway = new GatewayStub().on(STORE, this::store).on("GET /v1/jobs", Reply.ok(jobs(0, 0)));
        line.environment.put("RECALLGATE_URL", gateway.url());
    }

    @AfterEach
    void stopStub() {
        gateway.close();
    }

    private static JsonObject jobs(int available, int failed) {
        return new JsonObject()
                .put("counts", new JsonObject().put("available", available).put("failed", failed));
    }

    /** All or nothing, as the gateway does it; content "bad" is refused. */
    private Reply store(Request request) {
        JsonArray answer = new JsonArray();
        JsonArray memories = request.json().getJsonArray("memories");
        for (int i = 0; i < memories.size(); i++) {
            if ("bad".equals(memories.getJsonObject(i).getString("content"))) {
                return Reply.problem(400, "invalid-text", "memories[" + i + "].content has a NUL");
            }
        }
        for (int i = 0; i < memories.size(); i++) {
            JsonObject memory = memories.getJsonObject(i);
            String before =
                    stored.put(memory.getString("external_id", "none-" + stored.size()), memory.getString("content"));
            String change =
                    before == null ? "stored" : before.equals(memory.getString("content")) ? "unchanged" : "updated";
            answer.add(new JsonObject().put("id", "x").put("change", change));
        }
        return new Reply(202, new JsonObject().put("memories", answer).encode(), Map.of());
    }

    private String file(String name, String... lines) throws IOException {
        Path file = directory.resolve(name);
        Files.write(file, List.of(lines));
        return file.toString();
    }

    private static String memory(int id, String content) {
        return new JsonObject()
                .put("content", content)
                .put("external_id", "e" + id)
                .encode();
    }

    @Test
    void everyLineIsStoredInBatchesAndSummedUpInOneLine() throws IOException {
        String[] lines = new String[450];
        for (int i = 0; i < lines.length; i++) {
            lines[i] = memory(i, "text " + i);
        }

        assertThat(line.run("import", file("a.ndjson", lines))).isZero();

        JsonObject summary = new JsonObject(line.out());
        assertThat(line.out()).hasLineCount(1);
        assertThat(summary.getBoolean("done")).isTrue();
        assertThat(summary.getInteger("stored")).isEqualTo(450);
        assertThat(summary.getInteger("rejected_count")).isZero();
        assertThat(gateway.requests(STORE))
                .extracting(request -> request.json().getJsonArray("memories").size())
                .containsExactly(200, 200, 50);
    }

    @Test
    void aSecondImportStoresNothingTwice() throws IOException {
        String file = file("a.ndjson", memory(1, "one"), memory(2, "two"));
        line.run("import", file);
        CommandLineRun again = new CommandLineRun();
        again.environment.putAll(line.environment);

        assertThat(again.run("import", file)).isZero();

        assertThat(new JsonObject(again.out()).getInteger("unchanged")).isEqualTo(2);
        assertThat(stored).hasSize(2);
    }

    @Test
    void damagedAndRefusedLinesAreListedAndTheRestKept() throws IOException {
        String file =
                file("a.ndjson", memory(1, "one"), "{\"content\":", "", memory(4, "bad"), memory(5, "five"), "[1]");

        assertThat(line.run("import", file)).isEqualTo(1);

        JsonObject summary = new JsonObject(line.out());
        assertThat(stored).containsOnlyKeys("e1", "e5");
        assertThat(summary.getInteger("stored")).isEqualTo(2);
        assertThat(summary.getInteger("rejected_count")).isEqualTo(3);
        List<String> rejected = new ArrayList<>();
        summary.getJsonArray("rejected").forEach(value -> {
            JsonObject one = (JsonObject) value;
            rejected.add(one.getInteger("line") + " " + one.getString("code"));
        });
        assertThat(rejected).containsExactly("2 invalid-json", "4 invalid-text", "6 invalid-json");
    }

    @Test
    void oneMemoryTwiceInAFileGoesInTwoRequestsSoThatTheLaterWins() throws IOException {
        line.run("import", file("a.ndjson", memory(1, "old"), memory(1, "new")));

        assertThat(gateway.requests(STORE)).hasSize(2);
        assertThat(stored).containsEntry("e1", "new");
    }

    @Test
    void theSessionOptionIsForMemoriesThatNameNone() throws IOException {
        line.run(
                "import",
                file("a.ndjson", "{\"content\":\"a\"}", "{\"content\":\"b\",\"session\":\"own\"}"),
                "--session",
                "given");

        JsonArray memories = gateway.requests(STORE).get(0).json().getJsonArray("memories");
        assertThat(memories.getJsonObject(0).getString("session")).isEqualTo("given");
        assertThat(memories.getJsonObject(1).getString("session")).isEqualTo("own");
    }

    @Test
    void aConversationIsRecognisedByItsContent() throws IOException {
        String conversation = new JsonObject()
                .put("session_1_date_time", "1:56 pm on 8 May, 2023")
                .put(
                        "session_1",
                        new JsonArray()
                                .add(new JsonObject()
                                        .put("speaker", "Ann")
                                        .put("dia_id", "D1:1")
                                        .put("text", "Hello")))
                .encodePrettily();

        assertThat(line.run("import", file("talk.json", conversation))).isZero();

        assertThat(stored).containsExactly(Map.entry("talk/D1:1", "Hello"));
    }

    @Test
    void standardInputIsReadToo() {
        line.stdin = memory(1, "one") + "\n" + memory(2, "two");

        assertThat(line.run("import", "-")).isZero();

        assertThat(stored).hasSize(2);
    }

    @Test
    void aBusyGatewayIsWaitedFor() throws IOException {
        gateway.on(
                STORE,
                Reply.problem(429, "overloaded", "full").retryAfter(1),
                Reply.problem(503, "database-unavailable", "down").retryAfter(2),
                new Reply(202, "{\"memories\":[{\"id\":\"x\",\"change\":\"stored\"}]}", Map.of()));

        assertThat(line.run("import", file("a.ndjson", memory(1, "one")))).isZero();

        assertThat(line.pauses).containsExactly(1_000L, 2_000L);
    }

    @Test
    void aGatewayThatBreaksStopsTheImportAndSaysWhatIsStored() throws IOException {
        gateway.on(STORE, Reply.problem(500, "internal", "a defect"));

        assertThat(line.run("import", file("a.ndjson", memory(1, "one")))).isEqualTo(1);

        assertThat(line.err())
                .contains("a defect (internal)")
                .contains("0 memories are stored")
                .hasLineCount(1);
    }

    @Test
    void waitingEndsWhenAllIsEmbedded() throws IOException {
        gateway.on(
                "GET /v1/jobs", Reply.ok(jobs(0, 0)), Reply.ok(jobs(3, 0)), Reply.ok(jobs(1, 0)), Reply.ok(jobs(0, 0)));

        assertThat(line.run("import", "--wait", file("a.ndjson", memory(1, "one"))))
                .isZero();

        assertThat(new JsonObject(line.out()).getJsonObject("embedding").getInteger("remaining"))
                .isZero();
    }

    @Test
    void waitingIsBoundedWhenNothingMoves() throws IOException {
        gateway.on("GET /v1/jobs", Reply.ok(jobs(3, 0)));

        assertThat(line.run("import", "--wait", file("a.ndjson", memory(1, "one"))))
                .isEqualTo(1);

        assertThat(line.pauses.stream().mapToLong(Long::longValue).sum()).isBetween(119_000L, 121_000L);
        assertThat(line.err())
                .contains("no memory was embedded for 120 s, 3 memories to go: see './recallgate status'");
    }

    @Test
    void onATerminalTheSummaryIsForPeople() throws IOException {
        line.terminal = true;

        line.run("import", file("a.ndjson", memory(1, "one"), "{"));

        assertThat(line.out())
                .contains("1 memory in 0.0 s: 1 stored, 0 updated, 0 unchanged, 1 rejected")
                .contains("line 2: the line is not a JSON object");
        assertThat(line.err()).contains("importing").contains("[####");
    }

    @Test
    void aRefusedLineIsNamedByItsLineAndNotByItsPlaceInARequest() throws IOException {
        line.terminal = true;

        line.run("import", file("a.ndjson", memory(1, "one"), memory(2, "bad")));

        assertThat(line.out()).contains("  line 2: content has a NUL\n");
    }

    @Test
    void onlyTheFirstTwentyRejectedLinesArePrinted() throws IOException {
        line.terminal = true;
        String[] lines = new String[130];
        Arrays.fill(lines, "{");

        line.run("import", file("a.ndjson", lines));

        assertThat(line.out()).contains("line 20: ", "  and 110 more\n").doesNotContain("line 21: ");
    }

    @Test
    void jsonIsPrintedOnATerminalTooWhenAskedFor() throws IOException {
        line.terminal = true;
        String[] lines = new String[130];
        Arrays.fill(lines, "{");

        line.run("import", "--json", file("a.ndjson", lines));

        JsonObject summary = new JsonObject(line.out());
        assertThat(summary.getJsonArray("rejected")).hasSize(100);
        assertThat(summary.getInteger("rejected_count")).isEqualTo(130);
    }

    @Test
    void waitingEndsAtOnceWhereNobodyEmbeds() throws IOException {
        gateway.on("GET /v1/jobs", Reply.ok(jobs(3, 0))).on("GET /health", Reply.ok(EvalCommandTest.noProvider()));

        assertThat(line.run("import", "--wait", file("a.ndjson", memory(1, "one"))))
                .isEqualTo(1);

        assertThat(line.pauses).isEmpty();
        assertThat(line.err()).contains("has no embedding provider").hasLineCount(1);
    }

    @Test
    void aMissingFileIsNamed() {
        assertThat(line.run("import", "/nowhere/a.ndjson")).isEqualTo(1);

        assertThat(line.err()).isEqualTo("recallgate: there is no file /nowhere/a.ndjson\n");
    }
}
