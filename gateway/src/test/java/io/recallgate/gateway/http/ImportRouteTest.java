package io.recallgate.gateway.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import io.recallgate.gateway.http.transfer.TransferOptions;
import io.recallgate.recall.api.ExportedMemory;
import io.recallgate.recall.api.MemoryDraft;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code POST /v1/memories/import}: what becomes of the lines, with a scripted service behind. */
@Timeout(300)
class ImportRouteTest extends TransferRouteTest {

    static final String PATH = "/v1/memories/import";
    static final String NDJSON = "application/x-ndjson";

    private static JsonObject last(HttpResponse<String> response) {
        List<String> lines = response.body().lines().toList();
        return new JsonObject(lines.get(lines.size() - 1));
    }

    static HttpResponse<String> send(TestGateway gateway, String body, String... headers) {
        List<String> all = new ArrayList<>(List.of("content-type", NDJSON));
        all.addAll(List.of(headers));
        return gateway.post(PATH, body, all.toArray(String[]::new));
    }

    private static List<MemoryDraft> drafts(TestGateway gateway) {
        return gateway.runtime.memories.restored.stream()
                .flatMap(List::stream)
                .map(ExportedMemory::draft)
                .toList();
    }

    @Test
    void goodLinesAreKeptAndBadOnesNamed() {
        TestGateway gateway = gateway(PATIENT);

        HttpResponse<String> response = gateway.stream(
                "POST",
                PATH,
                BodyPublishers.ofByteArrays(List.of(
                        "\uFEFF{\"content\":\"京都 🏯\"}\r\n\n".getBytes(StandardCharsets.UTF_8),
                        "{\"content\":\n[1]\nnull\n".getBytes(StandardCharsets.UTF_8),
                        "{\"content\":\"nul \\u0000\"}\n{\"content\":\"half \\ud83c\"}\n"
                                .getBytes(StandardCharsets.UTF_8),
                        "{\"content\":\"a\",\"text\":\"b\"}\n{\"content\":\" \"}\n".getBytes(StandardCharsets.UTF_8),
                        "{\"content\":\"a\",\"content\":\"b\"}\n{\"content\":\"".getBytes(StandardCharsets.UTF_8),
                        new byte[] {(byte) 0xC3, (byte) 0x28},
                        ("\"}\n{\"content\":\"" + "x".repeat((1 << 20) + 1) + "\"}\n").getBytes(StandardCharsets.UTF_8),
                        "{\"content\":\"a\",\"id\":\"1-1-1-1-1\"}\n{\"content\":\"last\"}"
                                .getBytes(StandardCharsets.UTF_8))),
                "content-type",
                NDJSON);

        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(response.headers().firstValue("content-type")).hasValue(NDJSON);
        JsonObject last = last(response);
        assertThat(last.getBoolean("done")).isTrue();
        assertThat(last.getInteger("stored")).isEqualTo(2);
        assertThat(last.getInteger("lines")).isEqualTo(14);
        assertThat(last.getInteger("rejected_count")).isEqualTo(11);
        assertThat(gateway.get("/metrics").body())
                .contains("recallgate_import_memories_total{change=\"stored\"} 2.0")
                .contains("recallgate_import_memories_total{change=\"rejected\"} 11.0");
        assertThat(last.getBoolean("rejected_truncated")).isFalse();
        assertThat(last.getJsonArray("rejected").stream()
                        .map(JsonObject.class::cast)
                        .map(one -> one.getInteger("line") + " " + one.getString("code")))
                .containsExactly(
                        "3 invalid-json",
                        "4 invalid-json",
                        "5 invalid-json",
                        "6 invalid-text",
                        "7 invalid-text",
                        "8 unknown-field",
                        "9 invalid-field",
                        "10 invalid-json",
                        "11 invalid-json",
                        "12 payload-too-large",
                        "13 invalid-field");
    }

    @Test
    void aLineBeyondTheLimitIsSkippedToItsEnd() {
        TestGateway gateway = gateway(PATIENT);

        JsonObject last =
                last(send(gateway, "{\"content\":\"" + "x".repeat(9 << 20) + "\"}\n{\"content\":\"after\"}\n"));

        assertThat(last.getInteger("stored")).isEqualTo(1);
        assertThat(last.getJsonArray("rejected").getJsonObject(0).getString("code"))
                .isEqualTo("payload-too-large");
        assertThat(last.getJsonArray("rejected").getJsonObject(0).getInteger("line"))
                .isEqualTo(1);
    }

    @Test
    void onlyTheFirstHundredRejectionsAreListedAndItSaysSo() {
        JsonObject last = last(send(gateway(PATIENT), "{\n".repeat(130)));

        assertThat(last.getJsonArray("rejected")).hasSize(100);
        assertThat(last.getInteger("rejected_count")).isEqualTo(130);
        assertThat(last.getBoolean("rejected_truncated")).isTrue();
    }

    @Test
    void linesAreStoredInBatchesWithOneLineOfProgressForEach() {
        TestGateway gateway = gateway(PATIENT);

        HttpResponse<String> response = send(gateway, "{\"content\":\"x\"}\n".repeat(1_100));

        assertThat(gateway.runtime.memories.restored.stream().mapToInt(List::size))
                .allMatch(size -> size <= 500)
                .hasSizeGreaterThan(2);
        List<String> lines = response.body().lines().toList();
        assertThat(lines).hasSize(gateway.runtime.memories.restored.size() + 1);
        assertThat(new JsonObject(lines.get(0)).getInteger("stored")).isEqualTo(500);
        assertThat(last(response).getInteger("stored")).isEqualTo(1_100);
    }

    @Test
    void oneMemoryTwiceIsWrittenTwiceSoThatTheLaterLineWins() {
        TestGateway gateway = gateway(PATIENT);
        UUID id = UUID.randomUUID();

        send(
                gateway,
                "{\"content\":\"a\",\"external_id\":\"e\"}\n{\"content\":\"b\",\"external_id\":\"e\"}\n"
                        + "{\"content\":\"c\",\"id\":\"" + id + "\"}\n{\"content\":\"d\",\"id\":\"" + id + "\"}\n");

        assertThat(gateway.runtime.memories.restored.stream().map(batch -> batch.stream()
                        .map(memory -> memory.draft().content())
                        .toList()))
                .containsExactly(List.of("a"), List.of("b", "c"), List.of("d"));
    }

    @Test
    void theSessionIsThatOfLinesThatNameNone() {
        TestGateway gateway = gateway(PATIENT);

        gateway.post(
                PATH + "?session=given",
                "{\"content\":\"a\"}\n{\"content\":\"b\",\"session\":\"own\"}\n{\"content\":\"c\",\"session\":null}",
                "content-type",
                NDJSON);

        assertThat(drafts(gateway)).extracting(MemoryDraft::session).containsExactly("given", "own", "given");
        assertThat(gateway.post(PATH + "?session=", "", "content-type", NDJSON).statusCode())
                .isEqualTo(400);
    }

    @Test
    void anEmptyBodyIsAnImportOfNothing() {
        HttpResponse<String> response = send(gateway(PATIENT), "");

        assertThat(response.body()).hasLineCount(1);
        assertThat(last(response))
                .isEqualTo(new JsonObject(
                        "{\"done\":true,\"lines\":0,\"stored\":0,\"updated\":0,\"unchanged\":0,\"rejected\":[],"
                                + "\"rejected_count\":0,\"rejected_truncated\":false}"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"application/jsonl", "application/x-ndjson; charset=utf-8", "APPLICATION/NDJSON"})
    void theFormatGoesByItsOtherNamesToo(String type) {
        assertThat(gateway(PATIENT).post(PATH, "", "content-type", type).statusCode())
                .isEqualTo(200);
    }

    @Test
    void otherTypesAndCompressedBodiesAreRefused() {
        TestGateway gateway = gateway(PATIENT);

        HttpResponse<String> zipped = send(gateway, "x", "content-encoding", "gzip");

        assertThat(gateway.post(PATH, "{}").statusCode()).isEqualTo(415);
        assertThat(zipped.statusCode()).isEqualTo(415);
        assertThat(zipped.body()).contains("not compressed");
    }

    @Test
    void aMemoryThatTheServiceRefusesIsFoundAndTheOthersKept() {
        TestGateway gateway = gateway(PATIENT);
        gateway.runtime.memories.restore = memories ->
                memories.stream().anyMatch(memory -> memory.draft().content().equals("bad"))
                        ? Future.failedFuture(new FailureException(FailureCode.INVALID_TEXT, "cannot be stored"))
                        : Future.succeededFuture();
        String good = "{\"content\":\"x\"}\n".repeat(5);

        JsonObject last = last(send(gateway, good + "{\"content\":\"bad\"}\n" + good));

        assertThat(last.getInteger("stored")).isEqualTo(10);
        assertThat(last.getJsonArray("rejected"))
                .isEqualTo(new JsonArray("[{\"line\":6,\"code\":\"invalid-text\",\"detail\":\"cannot be stored\"}]"));
    }

    @Test
    void aDatabaseThatComesBackInTimeIsWaitedFor() {
        TestGateway gateway = gateway(PATIENT);
        AtomicInteger tries = new AtomicInteger();
        gateway.runtime.memories.restore = memories -> tries.incrementAndGet() < 3 ? away() : Future.succeededFuture();

        JsonObject last = last(send(gateway, "{\"content\":\"a\"}\n"));

        assertThat(last.getBoolean("done")).isTrue();
        assertThat(last.getInteger("stored")).isEqualTo(1);
        // Each try is of the same memory, under the same id: whichever of them was committed, it is stored once.
        assertThat(gateway.runtime.memories.restored).hasSize(3).containsOnly(gateway.runtime.memories.restored.peek());
        assertThat(gateway.runtime.memories.restored.peek().get(0).id()).isNotNull();
    }

    private static <T> Future<T> away() {
        return Future.failedFuture(new FailureException(FailureCode.DATABASE_UNAVAILABLE, "out of reach"));
    }

    @Test
    void aDatabaseThatStaysAwayEndsTheImportWithWhatWasStored() {
        TestGateway gateway = gateway(new TransferOptions(1, 1, 20_000, 3_000, 20));
        AtomicInteger writes = new AtomicInteger();
        gateway.runtime.memories.restore =
                memories -> writes.incrementAndGet() == 1 ? Future.succeededFuture() : away();

        JsonObject last = last(send(gateway, "{\"content\":\"a\"}\n".repeat(600) + "{\n"));

        assertThat(last.getBoolean("done")).isFalse();
        assertThat(last.getString("code")).isEqualTo("database-unavailable");
        assertThat(last.getInteger("stored")).isEqualTo(500);
        assertThat(last.getInteger("lines")).isEqualTo(500);
        assertThat(writes.get()).isBetween(3, 10);
    }

    @Test
    void aDatabaseThatIsAwayFromTheStartIsAnOrdinaryProblem() {
        TestGateway gateway = gateway(new TransferOptions(1, 1, 20_000, 50, 20));
        gateway.runtime.memories.restore = memories -> away();

        HttpResponse<String> response = send(gateway, "{\"content\":\"a\"}\n");

        assertThat(response.statusCode()).isEqualTo(503);
        assertThat(response.headers().firstValue("retry-after")).isPresent();
        assertThat(TestGateway.json(response).getString("code")).isEqualTo("database-unavailable");
    }

    @Test
    void theDeadlineOfTheCallerEndsTheImport() {
        TestGateway gateway = gateway(PATIENT);
        Promise<Void> never = Promise.promise();
        gateway.runtime.memories.restore = memories -> gateway.runtime.memories.restored.size() == 1
                ? Future.succeededFuture()
                : never.future().onFailure(ignored -> {});
        gateway.vertx.setTimer(4_000, fired -> never.fail(new FailureException(FailureCode.DEADLINE_EXCEEDED, "late")));

        JsonObject last = last(send(gateway, "{\"content\":\"a\"}\n".repeat(600), "x-recallgate-deadline-ms", "3000"));

        assertThat(last.getBoolean("done")).isFalse();
        assertThat(last.getString("code")).isEqualTo("deadline-exceeded");
        assertThat(last.getInteger("stored")).isEqualTo(500);
    }
}
