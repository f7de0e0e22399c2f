package io.recallgate.gateway.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import io.recallgate.gateway.http.transfer.TransferOptions;
import io.recallgate.gateway.runtime.GatewayRuntime.Phase;
import io.recallgate.recall.api.ExportedMemory;
import io.recallgate.recall.api.MemoryDraft;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code POST /v1/memories/import} over real connections, with a scripted service behind. */
@Timeout(60)
class ImportRouteTest extends TransferRouteTest {

    private static final String PATH = "/v1/memories/import";
    private static final String NDJSON = "application/x-ndjson";

    private static JsonObject last(HttpResponse<String> response) {
        List<String> lines = response.body().lines().toList();
        return new JsonObject(lines.get(lines.size() - 1));
    }

    private static HttpResponse<String> send(TestGateway gateway, String body, String... headers) {
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
        TestGateway gateway = gateway(new TransferOptions(1, 1, 20_000, 300, 20));
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
        gateway.vertx.setTimer(600, fired -> never.fail(new FailureException(FailureCode.DEADLINE_EXCEEDED, "late")));

        JsonObject last = last(send(gateway, "{\"content\":\"a\"}\n".repeat(600), "x-recallgate-deadline-ms", "300"));

        assertThat(last.getBoolean("done")).isFalse();
        assertThat(last.getString("code")).isEqualTo("deadline-exceeded");
        assertThat(last.getInteger("stored")).isEqualTo(500);
    }

    @Test
    void moreImportsThanTheBoundAreRefusedForNow() throws IOException {
        TestGateway gateway = gateway(PATIENT);
        try (Connection first = new Connection(gateway)) {
            first.line("{\"content\":\"a\"}");
            assertThat(first.next().getInteger("stored")).isEqualTo(1);

            HttpResponse<String> second = send(gateway, "");

            assertThat(second.statusCode()).isEqualTo(429);
            assertThat(second.headers().firstValue("retry-after")).hasValue("5");
        }
        awaitPlace(gateway);
    }

    @Test
    void linesDoNotWaitForABatchToFillUp() throws IOException {
        TestGateway gateway = gateway(PATIENT);
        try (Connection connection = new Connection(gateway)) {
            connection.line("{\"content\":\"a\"}");
            assertThat(connection.next().getInteger("lines")).isEqualTo(1);
            connection.line("{\"content\":\"b\"}");
            assertThat(connection.next().getInteger("lines")).isEqualTo(2);
            connection.end();
            assertThat(connection.next().getBoolean("done")).isTrue();
        }
    }

    @Test
    void aClientThatSendsNothingMoreIsNotWaitedForForEver() throws IOException {
        TestGateway gateway = gateway(new TransferOptions(1, 1, 200, 20_000, 20));
        try (Connection silent = new Connection(gateway)) {
            assertThat(silent.status()).isEqualTo(408);
        }
        try (Connection stuck = new Connection(gateway)) {
            stuck.line("{\"content\":\"a\"}");
            assertThat(stuck.next().getInteger("stored")).isEqualTo(1);
            stuck.bytes("{\"cont");
            JsonObject last = stuck.next();
            assertThat(last.getBoolean("done")).isFalse();
            assertThat(last.getString("code")).isEqualTo("body-timeout");
            assertThat(last.getInteger("stored")).isEqualTo(1);
        }
        awaitPlace(gateway);
    }

    @Test
    void aStoppingGatewayEndsAnImportThatIsWaitingForItsClient() throws IOException {
        TestGateway gateway = gateway(PATIENT);
        try (Connection connection = new Connection(gateway)) {
            connection.line("{\"content\":\"a\"}");
            assertThat(connection.next().getInteger("stored")).isEqualTo(1);

            gateway.runtime.phase = Phase.STOPPING;

            JsonObject last = connection.next();
            assertThat(last.getBoolean("done")).isFalse();
            assertThat(last.getString("code")).isEqualTo("shutting-down");
            assertThat(last.getInteger("lines")).isEqualTo(1);
        }
        gateway.runtime.phase = Phase.READY;
        awaitPlace(gateway);
    }

    @Test
    void aClientThatAsksFirstIsToldToContinueOnlyWhenThereIsAPlace() throws IOException {
        TestGateway gateway = gateway(PATIENT);
        try (Connection first = new Connection(gateway, "expect: 100-continue")) {
            assertThat(first.status()).isEqualTo(100);
            try (Connection second = new Connection(gateway, "expect: 100-continue")) {
                assertThat(second.status()).isEqualTo(429);
            }
        }
    }

    @Test
    void aClientThatLeavesWhileItIsReadFreesItsPlace() throws IOException {
        TestGateway gateway = gateway(PATIENT);
        try (Connection connection = new Connection(gateway)) {
            connection.bytes("{\"conte");
        }
        awaitPlace(gateway);
        try (Connection connection = new Connection(gateway)) {
            connection.line("{\"content\":\"a\"}");
            assertThat(connection.next().getInteger("stored")).isEqualTo(1);
        }
        awaitPlace(gateway);
    }

    @Test
    void aClientThatLeavesWhileItsBatchIsStoredFreesItsPlaceAfterIt() throws Exception {
        TestGateway gateway = gateway(PATIENT);
        Promise<Void> held = Promise.promise();
        gateway.runtime.memories.restore = memories -> held.future();
        try (Connection connection = new Connection(gateway)) {
            connection.line("{\"content\":\"a\"}");
            assertThat(gateway.runtime.memories.restored.poll(10, TimeUnit.SECONDS))
                    .hasSize(1);
        }
        assertThat(send(gateway, "").statusCode()).isEqualTo(429);

        held.complete();

        awaitPlace(gateway);
        assertThat(gateway.runtime.memories.count()).isEqualTo(1);
    }

    @Test
    void aServiceThatDoesNotAnswerStopsTheReadingOfTheSocket() throws Exception {
        TestGateway gateway = gateway(PATIENT);
        Promise<Void> held = Promise.promise();
        gateway.runtime.memories.restore = memories -> held.future();
        byte[] lines =
                ("{\"content\":\"" + "x".repeat(1_000) + "\"}\n").repeat(1_000).getBytes(StandardCharsets.UTF_8);
        int rounds = 64;
        try (SocketChannel channel =
                SocketChannel.open(new InetSocketAddress(InetAddress.getLoopbackAddress(), gateway.port))) {
            channel.write(ByteBuffer.wrap(head(gateway, "content-length: " + (long) rounds * lines.length)));
            channel.configureBlocking(false);
            long written = 0;
            try (Selector selector = Selector.open()) {
                channel.register(selector, SelectionKey.OP_WRITE);
                // Not writable for a second: nobody reads at the other end.
                while (written < (long) rounds * lines.length && selector.select(1_000) > 0) {
                    selector.selectedKeys().clear();
                    written += channel.write(ByteBuffer.wrap(
                            lines, (int) (written % lines.length), lines.length - (int) (written % lines.length)));
                }
            }
            // What the kernels on both sides buffer, and no more.
            assertThat(written).isBetween(1L << 20, 40L << 20);
            assertThat(gateway.runtime.memories.restored).hasSize(1);

            held.complete();
            channel.configureBlocking(true);
            while (written < (long) rounds * lines.length) {
                written += channel.write(ByteBuffer.wrap(
                        lines, (int) (written % lines.length), lines.length - (int) (written % lines.length)));
            }
            assertThat(lastLine(channel).getInteger("stored")).isEqualTo(rounds * 1_000);
        }
    }

    private static JsonObject lastLine(SocketChannel channel) throws IOException {
        BufferedReader reader =
                new BufferedReader(new InputStreamReader(channel.socket().getInputStream(), StandardCharsets.UTF_8));
        while (true) {
            String line = reader.readLine();
            if (line.startsWith("{\"done\"")) {
                return new JsonObject(line);
            }
        }
    }

    /** A place is free when an import of nothing passes. */
    private static void awaitPlace(TestGateway gateway) {
        long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
        int status = 0;
        while (status != 200 && System.nanoTime() < until) {
            status = send(gateway, "").statusCode();
        }
        assertThat(status).isEqualTo(200);
        assertThat(gateway.get("/metrics").body().lines()).contains("recallgate_http_requests_in_flight 0.0");
    }

    private static byte[] head(TestGateway gateway, String... headers) {
        return ("POST " + PATH + " HTTP/1.1\r\nhost: 127.0.0.1:" + gateway.port + "\r\ncontent-type: " + NDJSON + "\r\n"
                        + String.join("\r\n", headers) + "\r\n\r\n")
                .getBytes(StandardCharsets.US_ASCII);
    }

    /** A chunked request that is sent and answered bit by bit. */
    private static final class Connection implements AutoCloseable {

        private final Socket socket;
        private final BufferedReader in;

        Connection(TestGateway gateway, String... headers) throws IOException {
            socket = gateway.connect();
            List<String> all = new ArrayList<>(List.of("transfer-encoding: chunked"));
            all.addAll(List.of(headers));
            socket.getOutputStream().write(head(gateway, all.toArray(String[]::new)));
            in = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
        }

        void line(String line) throws IOException {
            bytes(line + "\n");
        }

        void bytes(String text) throws IOException {
            socket.getOutputStream()
                    .write((Integer.toHexString(text.length()) + "\r\n" + text + "\r\n")
                            .getBytes(StandardCharsets.US_ASCII));
        }

        void end() throws IOException {
            socket.getOutputStream().write("0\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
        }

        int status() throws IOException {
            return Integer.parseInt(in.readLine().split(" ", -1)[1]);
        }

        /** The next line of the answer's body. */
        JsonObject next() throws IOException {
            while (true) {
                String line = in.readLine();
                assertThat(line).as("the answer goes on").isNotNull();
                if (line.startsWith("{")) {
                    return new JsonObject(line);
                }
            }
        }

        @Override
        public void close() throws IOException {
            socket.close();
        }
    }
}
