package io.recallgate.gateway.launch;

import static org.assertj.core.api.Assertions.assertThat;

import io.recallgate.gateway.postgres.Eventually;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * CONTRACTS E1: a gateway with the real model and its embedded PostgreSQL, one of them killed again and again while
 * memories are written, changed, deleted and recalled. Afterwards everything that was acknowledged is there once, as it
 * was acknowledged last, and embedded. {@code -Drecallgate.chaos.seed=S} draws other kills.
 */
@Timeout(1_200)
class ChaosTest {

    private static final long READY_SECONDS = 120;
    private static final long EMBEDDED_SECONDS = 300;

    /** Short, since what the last kill left running is waited for; a busy machine still renews in time. */
    private static final long LEASE_MILLIS = 5_000;

    @TempDir
    Path directory;

    private final HttpClient http = HttpClient.newHttpClient();
    private final ChaosLog log = new ChaosLog();

    @Test
    void nothingAcknowledgedIsLostOrDoubledInThreeKills() throws Exception {
        run(3);
    }

    @Test
    @Tag("long")
    void nothingAcknowledgedIsLostOrDoubledInTwentyKills() throws Exception {
        run(20);
    }

    private void run(int rounds) throws Exception {
        long seed = Long.getLong("recallgate.chaos.seed", 20_261_130);
        Random random = new Random(seed);
        GatewayProcess gateway = start();
        try {
            for (int round = 0; round < rounds; round++) {
                // The first three rounds are one of each kind.
                int kind = round < 3 ? round : random.nextInt(3);
                gateway = round(gateway, seed, round, kind, random);
            }
            int port = gateway.port();
            Eventually.holds("everything is embedded, seed " + seed, EMBEDDED_SECONDS, () -> openJobs(port) == 0);
            assertThat(ChaosChecker.beside(dataDir()).findings(log))
                    .as("seed %d, answers by status %s", seed, log.statuses())
                    .isEmpty();
            assertThat(log.acknowledgements()).isGreaterThan(10L * rounds);
        } finally {
            gateway.close();
        }
    }

    /** Kills the gateway, its PostgreSQL or both in the middle of work; returns the gateway that goes on. */
    private GatewayProcess round(GatewayProcess gateway, long seed, int round, int kind, Random random)
            throws Exception {
        long goal = log.acknowledgements() + 1 + random.nextInt(150);
        try (ChaosClient client = new ChaosClient(List.of(gateway.port()), 0, log)) {
            client.start(seed, round);
            Eventually.holds("work goes on, round " + round, READY_SECONDS, () -> log.acknowledgements() >= goal);
            CountDownLatch never = new CountDownLatch(1);
            assertThat(never.await(random.nextInt(30), TimeUnit.MILLISECONDS)).isFalse();
            if (kind != 0) {
                GatewayProcess.postgres(dataDir()).orElseThrow().destroyForcibly();
            }
            if (kind != 1) {
                gateway.kill();
                client.stop();
                return start();
            }
            long before = log.acknowledgements();
            Eventually.holds(
                    "PostgreSQL is back and writes are taken, round " + round,
                    READY_SECONDS,
                    () -> log.acknowledgements() > before + 20);
            client.stop();
            return gateway;
        }
    }

    private GatewayProcess start() throws IOException, InterruptedException {
        return GatewayProcess.start(
                        directory,
                        Map.of(
                                "RECALLGATE_DATA_DIR",
                                dataDir().toString(),
                                "RECALLGATE_EMBEDDING_PROVIDER",
                                "local",
                                "RECALLGATE_EMBEDDING_WORKERS",
                                "2",
                                "RECALLGATE_JOB_LEASE_MS",
                                Long.toString(LEASE_MILLIS)))
                .awaitReady();
    }

    private long openJobs(int port) {
        try {
            HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/v1/jobs"))
                    .timeout(Duration.ofSeconds(30))
                    .build();
            JsonObject counts =
                    new JsonObject(http.send(request, BodyHandlers.ofString()).body()).getJsonObject("counts");
            return counts == null
                    ? Long.MAX_VALUE
                    : counts.getLong("available") + counts.getLong("running") + counts.getLong("retryable");
        } catch (IOException e) {
            return Long.MAX_VALUE;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Long.MAX_VALUE;
        }
    }

    private Path dataDir() {
        return directory.resolve("data");
    }
}
