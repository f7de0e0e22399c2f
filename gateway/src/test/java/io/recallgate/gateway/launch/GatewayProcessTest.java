package io.recallgate.gateway.launch;

import static org.assertj.core.api.Assertions.assertThat;

import io.recallgate.digest.Sha256;
import io.recallgate.gateway.postgres.Eventually;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Starts and ends of a whole process: what it says, its exit status, and what it leaves behind. */
@Timeout(300)
class GatewayProcessTest {

    /** Of all tests, so that PostgreSQL is unpacked and initialised once and not for each start. */
    @TempDir
    static Path directory;

    @Test
    void itSaysThatItListensThenThatItIsReadyAndEndsCleanlyWhenTold() throws Exception {
        try (GatewayProcess gateway = start(Map.of()).awaitReady()) {
            ProcessHandle postgres = GatewayProcess.postgres(dataDir()).orElseThrow();
            assertThat(gateway.output()).hasSize(2);
            assertThat(gateway.output().get(0)).matches("listening on http://127\\.0\\.0\\.1:\\d+");
            assertThat(gateway.output().get(1)).matches("ready in \\d+ ms");

            gateway.terminate();

            assertThat(gateway.awaitExit()).isZero();
            assertThat(gateway.complaints()).isEmpty();
            assertThat(postgres.isAlive()).isFalse();
        }
    }

    @Test
    void aClosedTerminalIsAnOrderlyStop() throws Exception {
        try (GatewayProcess gateway = start(Map.of()).awaitReady()) {
            ProcessHandle postgres = GatewayProcess.postgres(dataDir()).orElseThrow();

            gateway.hangUp();

            assertThat(gateway.awaitExit()).isZero();
            assertThat(gateway.complaints()).isEmpty();
            assertThat(postgres.isAlive()).isFalse();
        }
    }

    @Test
    void aLogThatNobodyReadsAnyMoreDoesNotKeepItFromEnding() throws Exception {
        Path held = directory.resolve(HeldLog.HELD);
        try (GatewayProcess gateway =
                GatewayProcess.start(HeldLog.class, directory, Map.of()).awaitReady()) {
            ProcessHandle postgres = GatewayProcess.postgres(dataDir()).orElseThrow();
            Files.createFile(held);

            gateway.terminate();

            assertThat(gateway.awaitExit()).isZero();
            assertThat(postgres.isAlive()).isFalse();
        } finally {
            Files.deleteIfExists(held);
        }
    }

    @Test
    void norDoesWhatItWouldSayOfAnEndThatWasNotSeen() throws Exception {
        Path held = directory.resolve(HeldLog.HELD);
        try (GatewayProcess gateway = GatewayProcess.start(HeldLog.class, directory, Map.of("RECALLGATE_DRAIN_MS", "0"))
                .awaitReady()) {
            ProcessHandle postgres = GatewayProcess.postgres(dataDir()).orElseThrow();
            Files.createFile(held);

            gateway.terminate();

            // Without time for it, the end of running requests is mostly not seen.
            assertThat(gateway.awaitExit()).isIn(0, 1);
            assertThat(postgres.isAlive()).isFalse();
        } finally {
            Files.deleteIfExists(held);
        }
    }

    @Test
    void aSecondSignalEndsItAtOnceAlsoWhileTheLogIsHeld() throws Exception {
        Path held = directory.resolve(HeldLog.HELD);
        try (GatewayProcess gateway =
                GatewayProcess.start(HeldLog.class, directory, Map.of()).awaitReady()) {
            ProcessHandle postgres = GatewayProcess.postgres(dataDir()).orElseThrow();
            Files.createFile(held);
            // The stop waits for it.
            Signals.send("STOP", postgres.pid());

            gateway.terminateUntilItEnds();

            assertThat(gateway.awaitExit()).isEqualTo(143);
            // Left behind, as the signal wants it.
            postgres.destroyForcibly();
        } finally {
            Files.deleteIfExists(held);
        }
    }

    @Test
    void itsLogIsOneObjectOnEachLineWithTheRequestAndAHashOfTheOwnerAndRepeatsAreCounted() throws Exception {
        try (GatewayProcess gateway =
                start(Map.of("RECALLGATE_LOG_FORMAT", "json")).awaitReady()) {
            HttpRequest.Builder recall = HttpRequest.newBuilder(
                            URI.create("http://127.0.0.1:" + gateway.port() + "/v1/recall"))
                    .header("content-type", "application/json")
                    .POST(HttpRequest.BodyPublishers.ofString("{\"query\":\"zebra violin\",\"mode\":\"hybrid\"}"));
            for (int i = 0; i < 25; i++) {
                HttpResponse<String> answer = HttpClient.newHttpClient()
                        .send(recall.setHeader("x-request-id", "r-" + i).build(), HttpResponse.BodyHandlers.ofString());
                assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
            }
            gateway.terminate();
            assertThat(gateway.awaitExit()).isZero();

            List<JsonObject> lines =
                    gateway.errorOutput().stream().map(JsonObject::new).toList();
            assertThat(lines)
                    .filteredOn(line -> line.getString("formattedMessage").matches("recall .* is served lexical .*"))
                    .hasSize(RepeatLimit.FIRST)
                    .allSatisfy(line -> {
                        assertThat(line.getString("request_id")).matches("r-\\d+");
                        assertThat(line.getString("trace_id")).matches("[0-9a-f]{32}");
                        assertThat(line.getString("owner"))
                                .isEqualTo(Sha256.hex("local").substring(0, 12));
                    });
            assertThat(lines)
                    .extracting(line -> line.getString("formattedMessage"))
                    .anySatisfy(text -> assertThat(text).startsWith("15 more lines of"))
                    .allSatisfy(text -> assertThat(text).doesNotContain("zebra"));
            assertThat(lines)
                    .allSatisfy(line -> assertThat(line.getString("loggerName")).startsWith("io.recallgate"));
        }
    }

    @Test
    void aPortInUseIsOneLine() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getByAddress(new byte[] {127, 0, 0, 1}))) {
            String port = String.valueOf(taken.getLocalPort());

            refused(
                    Map.of("RECALLGATE_HTTP_PORT", port),
                    "RECALLGATE_HTTP_PORT is '" + port + "': another program listens there on 127.0.0.1;"
                            + " stop it or choose another port, 0 for any free one");
        }
    }

    @Test
    void aSecondGatewayOnTheSameDirectoryIsOneLineAndTheFirstGoesOn() throws Exception {
        try (GatewayProcess first = start(Map.of()).awaitReady()) {
            refused(Map.of(), "is in use by another gateway");

            assertThat(GatewayProcess.postgres(dataDir()).orElseThrow().isAlive())
                    .isTrue();
            first.terminate();
            assertThat(first.awaitExit()).isZero();
        }
    }

    @Test
    void aDirectoryThatCannotBeWrittenIsOneLine() throws Exception {
        Path file = Files.writeString(directory.resolve("file"), "in the way");

        refused(
                Map.of("RECALLGATE_DATA_DIR", file.resolve("data").toString()),
                "the directory cannot be written (FileSystem); make it writable or name another directory");
    }

    @Test
    void aDatabaseOutOfReachIsOneLineWithoutItsPassword() throws Exception {
        GatewayProcess gateway = refused(
                Map.of("RECALLGATE_DATABASE_URL", "postgresql://someone:hunter2@127.0.0.1:1/nothing"), "127.0.0.1:1");

        assertThat(gateway.errorOutput()).noneMatch(line -> line.contains("hunter2"));
    }

    @Test
    void aDatabaseUrlThatIsNoneIsOneLineWithoutItsPassword() throws Exception {
        GatewayProcess gateway = refused(
                Map.of("RECALLGATE_DATABASE_URL", "postgresql://someone:hunter2@127.0.0.1:1/x?sslmode=maybe"),
                "RECALLGATE_DATABASE_URL: ");

        assertThat(gateway.errorOutput()).noneMatch(line -> line.contains("hunter2"));
    }

    @Test
    void aModelThatIsNotThereIsOneLineAndPostgresIsStopped() throws Exception {
        refused(
                Map.of("RECALLGATE_EMBEDDING_PROVIDER", "local", "RECALLGATE_EMBEDDING_MODEL", "no-such-model"),
                "no-such-model");

        assertThat(GatewayProcess.postgres(dataDir())).isEmpty();
    }

    @Test
    void aWrongSettingIsOneLine() throws Exception {
        refused(
                Map.of("EMBEDDING_TIMEOUT_MS", "soon"),
                "EMBEDDING_TIMEOUT_MS is 'soon': allowed is a whole number from 1 to 600000");
    }

    @Test
    void aMissingKeysFileIsOneLine() throws Exception {
        refused(
                Map.of("RECALLGATE_HTTP_HOST", "0.0.0.0", "RECALLGATE_API_KEYS_FILE", "nowhere.yaml"),
                "nowhere.yaml': the file cannot be read");
    }

    @Test
    void aKeysFileThatIsReplacedCountsWithoutARestart() throws Exception {
        Path keys = Files.writeString(
                directory.resolve("keys.yaml"),
                keysOf("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"));
        try (GatewayProcess gateway =
                start(Map.of("RECALLGATE_API_KEYS_FILE", keys.toString())).awaitReady()) {
            HttpClient client = HttpClient.newHttpClient();
            assertThat(status(client, gateway.port(), "abc")).isEqualTo(200);

            // Of "hello".
            Path next = Files.writeString(
                    directory.resolve("next.yaml"),
                    keysOf("2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"));
            Files.move(next, keys, StandardCopyOption.ATOMIC_MOVE);

            Eventually.holds("the new key", 30, () -> status(client, gateway.port(), "hello") == 200);
            assertThat(status(client, gateway.port(), "abc")).isEqualTo(401);
            gateway.terminate();
            assertThat(gateway.awaitExit()).isZero();
        }
    }

    private static String keysOf(String hash) {
        return "keys: [{sha256: " + hash + ", owner: alice, rights: [read]}]";
    }

    private static int status(HttpClient client, int port, String key) {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/v1/jobs"))
                .header("x-recallgate-key", key)
                .build();
        try {
            return client.send(request, HttpResponse.BodyHandlers.ofString()).statusCode();
        } catch (IOException | InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void afterAKillTheNextStartDealsWithThePostgresLeftBehind() throws Exception {
        ProcessHandle left;
        try (GatewayProcess first = start(Map.of()).awaitReady()) {
            left = GatewayProcess.postgres(dataDir()).orElseThrow();
            first.kill();
        }
        assertThat(left.isAlive()).isTrue();

        try (GatewayProcess second = start(Map.of()).awaitReady()) {
            assertThat(left.isAlive()).isFalse();
            second.terminate();
            assertThat(second.awaitExit()).isZero();
        }
        assertThat(GatewayProcess.postgres(dataDir())).isEmpty();
    }

    @Test
    void aStopDuringTheFirstStartLeavesNothingRunning(@TempDir Path empty) throws Exception {
        try (GatewayProcess gateway = GatewayProcess.start(empty, Map.of()).awaitListening()) {
            gateway.terminate();

            assertThat(gateway.awaitExit()).isZero();
            assertThat(GatewayProcess.postgres(empty.resolve("data")).filter(ProcessHandle::isAlive))
                    .isEmpty();
        }
    }

    private GatewayProcess refused(Map<String, String> environment, String part)
            throws IOException, InterruptedException {
        GatewayProcess gateway = start(environment);
        assertThat(gateway.awaitExit()).as(gateway.errorOutput().toString()).isEqualTo(1);
        assertThat(gateway.complaints()).hasSize(1).allMatch(line -> line.contains(part), "contains " + part);
        // The one line is not drowned in stack traces.
        assertThat(gateway.errorOutput()).noneMatch(line -> line.startsWith("\tat "));
        return gateway;
    }

    private GatewayProcess start(Map<String, String> environment) throws IOException {
        return GatewayProcess.start(directory, environment);
    }

    private static Path dataDir() {
        return directory.resolve("data");
    }
}
