package io.recallgate.gateway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.recallgate.gateway.cli.GatewayStub.Reply;
import io.recallgate.gateway.cli.GatewayStub.Request;
import io.vertx.core.json.DecodeException;
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
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ImportCommandTest {

    private static final String STORE = "POST /v1/memories/import";

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

    /** As the gateway does it; content "bad" is refused. */
    private Reply store(Request request) {
        Map<String, Integer> changes = new HashMap<>();
        JsonArray rejected = new JsonArray();
        List<String> lines = request.body().lines().toList();
        for (int i = 0; i < lines.size(); i++) {
            if (lines.get(i).isEmpty()) {
                continue;
            }
            try {
                JsonObject memory = new JsonObject(lines.get(i));
                if ("bad".equals(memory.getString("content"))) {
                    rejected.add(rejection(i + 1, "invalid-text", "content has a NUL"));
                    continue;
                }
                String before = stored.put(
                        memory.getString("external_id", "none-" + stored.size()), memory.getString("content"));
                changes.merge(
                        before == null
                                ? "stored"
                                : before.equals(memory.getString("content")) ? "unchanged" : "updated",
                        1,
                        Integer::sum);
            } catch (DecodeException e) {
                rejected.add(rejection(i + 1, "invalid-json", "the line is not a JSON object"));
            }
        }
        return last(
                new JsonObject()
                        .put("done", true)
                        .put("lines", lines.size())
                        .put("rejected_count", rejected.size())
                        .put("rejected", new JsonArray(rejected.getList().subList(0, Math.min(100, rejected.size()))))
                        .put("stored", changes.get("stored"))
                        .put("updated", changes.get("updated"))
                        .put("unchanged", changes.get("unchanged")),
                "{\"lines\":1,\"stored\":1}\n");
    }

    private static JsonObject rejection(int line, String code, String detail) {
        return new JsonObject().put("line", line).put("code", code).put("detail", detail);
    }

    private static Reply last(JsonObject last, String before) {
        return new Reply(200, before + last.encode() + "\n", Map.of());
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
    void everyLineIsStoredAndAllIsSummedUpInOneLine() throws IOException {
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
        assertThat(gateway.requests(STORE)).hasSize(1);
        assertThat(gateway.requests(STORE).get(0).body()).isEqualTo(String.join("\n", lines) + "\n");
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
    void theSessionOptionIsForMemoriesThatNameNone() throws IOException {
        line.run("import", file("a.ndjson", "{\"content\":\"a\"}"), "--session", "given & taken");

        assertThat(gateway.requests(STORE).get(0).query()).isEqualTo("session=given & taken");
    }

    @Test
    void aMemoryWithoutANameGetsOneFromItsFileAndItsLine() throws IOException {
        String one = file(
                "a.ndjson",
                "{\"content\":\"a\"}",
                "",
                "\uFEFF  {\"content\":\"b\",\"content\":\"c\"}",
                "{\"content\":\"d\",\"external_id\":null}",
                "{\"content\":\"e\",\"id\":\"x\"}",
                "{\"content\":\"f\",\"external_id\":\"own\"}",
                "{");
        line.run("import", one);
        line.run("import", one);
        line.run("import", file("b.ndjson", "{\"content\":\"other\"}"));

        List<GatewayStub.Request> requests = gateway.requests(STORE);
        List<String> sent = requests.get(0).body().lines().toList();
        Matcher name = Pattern.compile("\\{\"external_id\":\"(import:[0-9a-f]{32}):1\",\"content\":\"a\"}")
                .matcher(sent.get(0));
        assertThat(name.matches()).as(sent.get(0)).isTrue();
        String file = name.group(1);
        assertThat(sent)
                .containsExactly(
                        sent.get(0),
                        "",
                        // As it was but for the name: that a key is there twice is for the gateway to see.
                        "\uFEFF  {\"external_id\":\"" + file + ":3\",\"content\":\"b\",\"content\":\"c\"}",
                        "{\"content\":\"d\",\"external_id\":\"" + file + ":4\"}",
                        "{\"content\":\"e\",\"id\":\"x\"}",
                        "{\"content\":\"f\",\"external_id\":\"own\"}",
                        "{");
        assertThat(requests.get(1).body()).isEqualTo(requests.get(0).body());
        assertThat(requests.get(2).body()).contains("import:").doesNotContain(file);
    }

    @Test
    void aLineThatIsTooLongIsListedAndTheNumbersOfTheOthersStay() throws IOException {
        String file = file("a.ndjson", memory(1, "x".repeat(9 << 20)), memory(2, "two"), memory(3, "bad"));

        assertThat(line.run("import", file)).isEqualTo(1);

        JsonArray rejected = new JsonObject(line.out()).getJsonArray("rejected");
        assertThat(rejected.getJsonObject(0).getInteger("line")).isEqualTo(1);
        assertThat(rejected.getJsonObject(0).getString("code")).isEqualTo("payload-too-large");
        assertThat(rejected.getJsonObject(1).getInteger("line")).isEqualTo(3);
        assertThat(stored).containsOnlyKeys("e2");
    }

    @Test
    void afterATroubleThatPassesTheRestOfTheFileIsSent() throws IOException {
        gateway.on(
                STORE,
                last(
                        new JsonObject()
                                .put("done", false)
                                .put("code", "database-unavailable")
                                .put("lines", 2)
                                .put("stored", 1)
                                .put("rejected_count", 1)
                                .put("rejected", new JsonArray().add(rejection(2, "invalid-json", "bad"))),
                        ""),
                last(
                        new JsonObject()
                                .put("done", true)
                                .put("lines", 2)
                                .put("stored", 1)
                                .put("rejected_count", 1)
                                .put("rejected", new JsonArray().add(rejection(2, "invalid-text", "bad"))),
                        ""));

        assertThat(line.run("import", file("a.ndjson", memory(1, "one"), "{", memory(3, "three"), memory(4, "bad"))))
                .isEqualTo(1);

        JsonObject summary = new JsonObject(line.out());
        assertThat(gateway.requests(STORE).get(1).body())
                .isEqualTo(memory(3, "three") + "\n" + memory(4, "bad") + "\n");
        assertThat(summary.getInteger("stored")).isEqualTo(2);
        assertThat(summary.getInteger("rejected_count")).isEqualTo(2);
        assertThat(summary.getJsonArray("rejected").getJsonObject(1).getInteger("line"))
                .isEqualTo(4);
        assertThat(line.pauses).containsExactly(2_000L);
    }

    @Test
    void anImportThatTheGatewayEndsSaysHowToGoOn() throws IOException {
        gateway.on(
                STORE,
                last(
                        new JsonObject()
                                .put("done", false)
                                .put("code", "shutting-down")
                                .put("detail", "the gateway is shutting down")
                                .put("lines", 2)
                                .put("stored", 2),
                        ""));

        assertThat(line.run("import", file("a.ndjson", memory(1, "one"), memory(2, "two"), memory(3, "three"))))
                .isEqualTo(1);

        assertThat(line.err())
                .isEqualTo("recallgate: the gateway is shutting down (shutting-down) [2 memories are stored; run it"
                        + " again: no memory of the same file is stored twice]\n");
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
                last(new JsonObject().put("done", true).put("lines", 1).put("stored", 1), ""));

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
