package io.recallgate.gateway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.recallgate.gateway.cli.GatewayStub.Reply;
import io.recallgate.gateway.cli.GatewayStub.Request;
import io.recallgate.recall.api.RankingSignal;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EvalCommandTest {

    @TempDir
    Path directory;

    private final CommandLineRun line = new CommandLineRun();
    private GatewayStub gateway;
    private String file;

    @BeforeEach
    void startStub() throws IOException {
        gateway = new GatewayStub()
                .on("POST /v1/memories", EvalCommandTest::store)
                .on("GET /v1/jobs", Reply.ok(new JsonObject().put("counts", new JsonObject())))
                .on("POST /v1/recall", EvalCommandTest::recall);
        line.environment.put("RECALLGATE_URL", gateway.url());
        JsonArray turns = new JsonArray();
        for (int i = 1; i <= 4; i++) {
            turns.add(new JsonObject()
                    .put("speaker", "Ann")
                    .put("dia_id", "D1:" + i)
                    .put("text", "turn " + i));
        }
        JsonObject conversation = new JsonObject()
                .put("session_1", turns)
                .put("session_1_date_time", "1:56 pm on 8 May, 2023")
                .put(
                        "qa",
                        new JsonArray()
                                .add(question("first", 1, "D1:1"))
                                .add(question("split", 4, "D1:2; D1:3"))
                                .add(question("adversarial", 5, "D1:4"))
                                .add(question("elsewhere", 2, "D9:9")));
        Path path = directory.resolve("talk.json");
        Files.writeString(path, conversation.encode());
        file = path.toString();
    }

    @AfterEach
    void stopStub() {
        gateway.close();
    }

    private static JsonObject question(String text, int category, String evidence) {
        return new JsonObject()
                .put("question", text)
                .put("category", category)
                .put("evidence", new JsonArray().add(evidence));
    }

    private static Reply store(Request request) {
        JsonArray answer = new JsonArray();
        request.json().getJsonArray("memories").forEach(memory -> answer.add(new JsonObject().put("id", "x")));
        return new Reply(202, new JsonObject().put("memories", answer).encode(), Map.of());
    }

    /** Hybrid finds D1:1 first and D1:3 second; lexical finds D1:3 only. */
    private static Reply recall(Request request) {
        boolean lexical = request.json().getString("mode").equals("lexical");
        JsonArray hits = new JsonArray();
        if (!lexical) {
            hits.add(hit("talk/D1:1", 2));
        }
        hits.add(hit("talk/D1:3", 1));
        return Reply.ok(new JsonObject().put("hits", hits).putNull("degraded"));
    }

    private static JsonObject hit(String id, int vectorRank) {
        return new JsonObject().put("external_id", id).put("ranks", new JsonObject().put("vector", vectorRank));
    }

    @Test
    void figuresOfEachSeriesFollowTheDefinitions() {
        assertThat(line.run("eval", "--mode", "all", "--json", file)).isZero();

        JsonObject total = new JsonObject(line.out()).getJsonObject("total");
        JsonObject hybrid = total.getJsonObject("hybrid");
        assertThat(hybrid.getInteger("questions")).isEqualTo(2);
        assertThat(hybrid.getDouble("recall_at_10")).isEqualTo(0.75);
        assertThat(hybrid.getDouble("mrr")).isEqualTo(0.75);
        assertThat(hybrid.getDouble("hit_at_10")).isEqualTo(1);
        JsonObject lexical = total.getJsonObject("lexical");
        assertThat(lexical.getDouble("recall_at_10")).isEqualTo(0.25);
        assertThat(lexical.getDouble("hit_at_10")).isEqualTo(0.5);
        JsonObject vector = total.getJsonObject("vector");
        assertThat(vector.getDouble("mrr")).isEqualTo(0.75);
        assertThat(vector.getDouble("known_places_at_10")).isEqualTo(1);
    }

    @Test
    void eachConversationHasAProjectOfItsOwn() {
        line.run("eval", file);

        assertThat(gateway.requests("POST /v1/memories").get(0).header("x-recallgate-project"))
                .isEqualTo("eval-talk");
        assertThat(gateway.requests("POST /v1/recall"))
                .allMatch(request -> request.header("x-recallgate-project").equals("eval-talk"))
                .allMatch(request -> request.json().getInteger("limit") == 20);
    }

    @Test
    void aPersonGetsATableAndHearsOfQuestionsLeftOut() {
        assertThat(line.run("eval", file)).isZero();

        assertThat(line.out()).contains("talk  hybrid          2  0.750  0.750  0.750  0.750   1.000");
        assertThat(line.err()).contains("1 questions left out");
    }

    @Test
    void degradedAnswersAreCounted() {
        gateway.on(
                "POST /v1/recall",
                Reply.ok(new JsonObject()
                        .put("hits", new JsonArray())
                        .put("degraded", new JsonObject().put("to", "lexical").put("reason", "embedding-timeout"))));

        line.run("eval", "--json", file);

        assertThat(new JsonObject(line.out())
                        .getJsonObject("total")
                        .getJsonObject("hybrid")
                        .getInteger("degraded"))
                .isEqualTo(2);
    }

    @Test
    void workThatStaysUnembeddedFailsTheMeasurement() {
        gateway.on("GET /v1/jobs", Reply.ok(new JsonObject().put("counts", new JsonObject().put("available", 2))));

        assertThat(line.run("eval", file)).isEqualTo(1);

        assertThat(line.err()).contains("no memory was embedded for 60 s, 2 memories to go");
        assertThat(gateway.requests("POST /v1/recall")).isEmpty();
    }

    @Test
    void withoutAProviderOnlyWordsAreMeasured() {
        gateway.on("GET /v1/jobs", Reply.ok(new JsonObject().put("counts", new JsonObject().put("available", 2))))
                .on("GET /health", Reply.ok(noProvider()));

        assertThat(line.run("eval", file)).isEqualTo(1);
        assertThat(line.err()).contains("has no embedding provider").hasLineCount(1);
        assertThat(line.run("eval", "--mode", "lexical", file)).isZero();

        assertThat(line.pauses).isEmpty();
    }

    @Test
    void eachSignalIsLeftOutOnceAndTheSettingsAreTakenBack() {
        gateway.on("PATCH /v1/settings", Reply.ok(new JsonObject()));

        assertThat(line.run("eval", "--ablate", file)).isZero();

        List<Request> patches = gateway.requests("PATCH /v1/settings");
        List<String> signals = patches.stream()
                .map(patch -> String.valueOf(patch.json().getValue("RECALLGATE_RECALL_SIGNALS")))
                .toList();
        for (RankingSignal signal : RankingSignal.values()) {
            Set<String> others = Arrays.stream(RankingSignal.values())
                    .filter(other -> other != signal)
                    .map(RankingSignal::wireName)
                    .collect(Collectors.toSet());
            assertThat(signals).anyMatch(list -> Set.of(list.split(",", -1)).equals(others));
            assertThat(line.out()).contains("no " + signal.wireName());
        }
        assertThat(signals).contains("none").last().isEqualTo("null");
        assertThat(patches).anyMatch(patch -> "rrf".equals(patch.json().getValue("RECALLGATE_RECALL_FUSION")));
        // What differs is the ranking, not the memories.
        assertThat(gateway.requests("POST /v1/memories")).hasSize(1);
    }

    @Test
    void aRefusedSettingEndsTheComparisonAndTakesBackWhatWasSet() {
        gateway.on("PATCH /v1/settings", Reply.problem(403, "forbidden", "this key has no right admin"));

        assertThat(line.run("eval", "--ablate", file)).isEqualTo(1);

        assertThat(line.err()).contains("this key has no right admin");
        assertThat(gateway.requests("PATCH /v1/settings")).hasSize(2);
    }

    @Test
    void shuffledTurnsAreInAProjectOfTheirOwnAndStayWhatTheyAre() {
        assertThat(line.run("eval", "--shuffle", "--json", file)).isZero();

        Request stored = gateway.requests("POST /v1/memories").get(0);
        assertThat(stored.header("x-recallgate-project")).isEqualTo("eval-talk-shuffled");
        assertThat(stored.json().getJsonArray("memories"))
                .extracting(memory -> ((JsonObject) memory).getString("content"))
                .containsExactlyInAnyOrder("turn 1", "turn 2", "turn 3", "turn 4")
                .isNotEqualTo(List.of("turn 1", "turn 2", "turn 3", "turn 4"));
        assertThat(stored.json().getJsonArray("memories")).allSatisfy(memory -> {
            String content = ((JsonObject) memory).getString("content");
            assertThat(((JsonObject) memory).getString("external_id"))
                    .isEqualTo("talk/D1:" + content.substring("turn ".length()));
        });
    }

    @Test
    void oneTurnOfSoManyIsPinned() {
        assertThat(line.run("eval", "--pin-every", "2", "--json", file)).isZero();

        Request stored = gateway.requests("POST /v1/memories").get(0);
        assertThat(stored.header("x-recallgate-project")).isEqualTo("eval-talk-pinned");
        assertThat(stored.json().getJsonArray("memories"))
                .filteredOn(memory -> ((JsonObject) memory).getBoolean("pinned", false))
                .extracting(memory -> ((JsonObject) memory).getString("content"))
                .containsExactly("turn 2", "turn 4");
        assertThat(line.run("eval", "--pin-every", "-1", file)).isEqualTo(2);
    }

    @Test
    void aDirectoryStandsForItsConversations() throws IOException {
        Files.writeString(directory.resolve("notes.txt"), "not a conversation");

        assertThat(line.run("eval", "--json", directory.toString())).isZero();

        assertThat(new JsonObject(line.out()).getJsonObject("files").fieldNames())
                .containsExactly("talk");
        Path empty = Files.createDirectory(directory.resolve("empty"));
        assertThat(line.run("eval", empty.toString())).isEqualTo(1);
        assertThat(line.err()).contains("there is no .json file in");
    }

    @Test
    void anotherFormatIsRefusedBeforeAnythingIsStored() throws IOException {
        Path other = directory.resolve("other.json");
        Files.writeString(other, "{\"a\":1}");

        assertThat(line.run("eval", file, other.toString())).isEqualTo(1);

        assertThat(line.err())
                .contains("other.json is not a LoCoMo-style conversation")
                .hasLineCount(1);
        assertThat(gateway.requests("POST /v1/memories")).isEmpty();
    }

    static JsonObject noProvider() {
        return new JsonObject()
                .put("status", "degraded")
                .put("embedding", new JsonObject().put("status", "off").put("provider", "none"));
    }
}
