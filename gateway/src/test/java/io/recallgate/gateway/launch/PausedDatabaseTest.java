package io.recallgate.gateway.launch;

import static org.assertj.core.api.Assertions.assertThat;

import io.recallgate.gateway.postgres.Eventually;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * CONTRACTS E5: every process of the database stands still under load, and goes on. Nobody waits much longer than it
 * takes to notice, everybody is told what is wrong, nothing piles up, and afterwards everything works again by itself.
 */
@Timeout(600)
class PausedDatabaseTest {

    /** What is written at once, and again and again while the pause lasts. */
    private static final int BURST = 500;

    /** Of a burst, those that are sent again: enough to find rows that are there twice. */
    private static final int AGAIN = 200;

    /** By when a pause has been noticed: the second and a half that the gateway takes, and a busy machine. */
    private static final long NOTICED_MILLIS = 3_500;

    /** When it has been noticed, an answer is a matter of milliseconds; 500 callers share two cores with the test. */
    private static final long AT_ONCE_MILLIS = 2_000;

    /** Heap of {@link GatewayProcess} that may yet be touched, and native memory. */
    private static final long GROWTH_BYTES = 200L << 20;

    private static final long BOUND_SECONDS = 120;

    @TempDir
    Path directory;

    private final ChaosLog log = new ChaosLog();
    private final ExecutorService threads = Executors.newFixedThreadPool(8);
    private final HttpClient http = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .executor(threads)
            .build();
    /** Known once it runs. */
    private URI gateway = URI.create("http://127.0.0.1");

    /** An answer and how long it took. */
    private record Answer(HttpResponse<String> response, long millis) {
        int status() {
            return response.statusCode();
        }

        String code() {
            return new JsonObject(response.body()).getString("code");
        }
    }

    /** Among the long ones until it has been green there for a while. */
    @Test
    @Tag("long")
    void aPauseOfEightSecondsIsToldToEverybodyAndEndsByItself() throws Exception {
        run(8_000);
    }

    @Test
    @Tag("long")
    void aPauseOfAMinuteIsToldToEverybodyAndEndsByItself() throws Exception {
        run(60_000);
    }

    private void run(long pauseMillis) throws Exception {
        try (ExternalPostgres postgres = ExternalPostgres.start(directory.resolve("server"));
                GatewayProcess process = start(postgres).awaitReady()) {
            gateway = URI.create("http://127.0.0.1:" + process.port());
            assertThat(all(writes("before", AGAIN, 0))).allSatisfy(PausedDatabaseTest::isStoredOrRefused);
            long resident = process.residentBytes().orElse(0);

            long paused = now();
            postgres.pause();
            standStill(process, paused, pauseMillis, resident);
            postgres.resume();

            recover(postgres);
        } finally {
            threads.shutdownNow();
        }
    }

    private void standStill(GatewayProcess process, long paused, long pauseMillis, long resident) throws Exception {
        List<CompletableFuture<Answer>> first = writes("paused", BURST, 0);
        List<CompletableFuture<Answer>> hurried = writes("hurried", 20, 1_000);
        CompletableFuture<Answer> asked = recall("hybrid", 0);
        Eventually.holds(
                "readiness ends", BOUND_SECONDS, () -> get("/health/ready").status() == 503);
        assertThat(now() - paused).as("ms until not ready").isLessThan(NOTICED_MILLIS);
        assertThat(all(first)).allSatisfy(answer -> {
            isRefused(answer);
            assertThat(answer.millis()).isLessThan(NOTICED_MILLIS);
        });
        assertThat(all(hurried)).allSatisfy(answer -> {
            isRefusedOrLate(answer);
            assertThat(answer.millis()).isLessThan(1_000 + AT_ONCE_MILLIS);
        });
        isUnavailable(asked.get());

        AtomicInteger rounds = new AtomicInteger();
        CountDownLatch never = new CountDownLatch(1);
        while (now() - paused < pauseMillis) {
            int round = rounds.incrementAndGet();
            Answer live = get("/health/live");
            assertThat(live.status()).isEqualTo(200);
            assertThat(live.millis()).isLessThan(AT_ONCE_MILLIS);
            assertThat(get("/health/ready").status()).isEqualTo(503);
            for (Answer answer : all(writes("round" + round, BURST, 0))) {
                isUnavailable(answer);
                assertThat(answer.millis()).isLessThan(AT_ONCE_MILLIS);
            }
            for (String mode : List.of("hybrid", "lexical", "strict")) {
                isUnavailable(recall(mode, 1_000).get());
            }
            assertThat(embeddings().status()).as("needs no database").isEqualTo(200);
            assertThat(never.await(Math.min(1_000, pauseMillis / 10), TimeUnit.MILLISECONDS))
                    .isFalse();
        }
        assertThat(rounds).hasPositiveValue();
        assertThat(metric("recallgate_http_requests_in_flight")).isLessThan(10);
        assertThat(metric("recallgate_http_buffered_bytes")).isLessThan(100_000);
        assertThat(process.residentBytes().orElse(0) - resident).isLessThan(GROWTH_BYTES);
    }

    /** Whatever was refused is sent again; then it is there once, embedded, and so is everything else. */
    private void recover(ExternalPostgres postgres) throws Exception {
        long resumed = now();
        Eventually.holds(
                "readiness comes back",
                BOUND_SECONDS,
                () -> get("/health/ready").status() == 200);
        assertThat(now() - resumed).as("ms until ready").isLessThan(10_000);
        for (String name : List.of("before", "paused", "round1")) {
            for (int from = 0; from < AGAIN; from += 50) {
                for (CompletableFuture<Answer> again : writes(name, from, from + 50, 0)) {
                    assertThat(again.get().status()).isEqualTo(202);
                }
            }
        }
        try (Connection connection = postgres.connect()) {
            Eventually.holds(
                    "jobs drain",
                    BOUND_SECONDS,
                    () -> 0
                            == count(
                                    connection,
                                    "select count(*) from embedding_job where state in ('available', 'running', 'retryable')"));
            assertThat(count(connection, "select count(*) from embedding_job where failures > 0 or state = 'failed'"))
                    .as("an outage counts against no job")
                    .isZero();
            assertThat(count(
                            connection,
                            "select count(*) from pg_stat_activity where datname = current_database() and state like"
                                    + " 'idle in transaction%'"))
                    .isZero();
            // The pool of 12, one that listens, one that asks, and this one.
            assertThat(count(
                            connection,
                            "select count(*) from pg_stat_activity where datname = current_database()"
                                    + " and backend_type = 'client backend'"))
                    .isLessThanOrEqualTo(15);
        }
        // Not before: without a single vector, recall says so.
        Answer found = recall("hybrid", 10_000).get();
        assertThat(found.status()).isEqualTo(200);
        assertThat(new JsonObject(found.response().body()).getValue("degraded")).isNull();
        assertThat(new ChaosChecker(postgres.endpoint()).findings(log))
                .as("answers by status %s", log.statuses())
                .isEmpty();
    }

    private GatewayProcess start(ExternalPostgres postgres) throws IOException {
        return GatewayProcess.start(
                directory,
                Map.of(
                        "RECALLGATE_DATA_DIR", directory.resolve("data").toString(),
                        "RECALLGATE_DATABASE_URL", postgres.url(),
                        "RECALLGATE_EMBEDDING_PROVIDER", "local",
                        "RECALLGATE_EMBEDDING_WORKERS", "1",
                        "RECALLGATE_JOB_POLL_MS", "200"));
    }

    private static void isStoredOrRefused(Answer answer) {
        if (answer.status() != 202) {
            isRefused(answer);
        }
    }

    /** Too many at once, or a database that is not there; either way with the time to wait. */
    private static void isRefused(Answer answer) {
        assertThat(answer.status()).as(answer.response().body()).isIn(429, 503);
        assertThat(answer.response().headers().firstValue("retry-after")).isPresent();
    }

    /** A deadline that passes before the pause has been noticed is called a deadline. */
    private static void isRefusedOrLate(Answer answer) {
        if (answer.status() == 504) {
            assertThat(answer.code()).isEqualTo("deadline-exceeded");
        } else {
            isRefused(answer);
        }
    }

    private static void isUnavailable(Answer answer) {
        assertThat(answer.status()).as(answer.response().body()).isEqualTo(503);
        assertThat(answer.code()).isEqualTo("database-unavailable");
        assertThat(answer.response().headers().firstValue("content-type")).contains("application/problem+json");
        assertThat(answer.response().headers().firstValue("retry-after")).isPresent();
    }

    private List<CompletableFuture<Answer>> writes(String name, int count, long deadlineMillis) {
        return writes(name, 0, count, deadlineMillis);
    }

    /** Each is one memory with a name of its own, which says what its content is. */
    private List<CompletableFuture<Answer>> writes(String name, int from, int to, long deadlineMillis) {
        List<CompletableFuture<Answer>> answers = new ArrayList<>();
        for (int i = from; i < to; i++) {
            String external = name + i;
            Map<String, String> contents = Map.of(external, "the content of " + external);
            JsonObject memory = new JsonObject().put("external_id", external).put("content", contents.get(external));
            log.sent(contents);
            answers.add(post("/v1/memories", memory, deadlineMillis).thenApply(answer -> {
                log.answered(answer.status());
                if (answer.status() == 202) {
                    JsonArray stored = new JsonObject(answer.response().body()).getJsonArray("memories");
                    log.acknowledged(
                            contents, Map.of(external, stored.getJsonObject(0).getString("id")));
                }
                return answer;
            }));
        }
        return answers;
    }

    private CompletableFuture<Answer> recall(String mode, long deadlineMillis) {
        return post(
                "/v1/recall",
                new JsonObject().put("query", "content of before7").put("mode", mode),
                deadlineMillis);
    }

    private Answer embeddings() throws Exception {
        return post("/v1/embeddings", new JsonObject().put("input", "harbour").put("model", "e5-small-v2-q"), 0)
                .get();
    }

    private CompletableFuture<Answer> post(String path, JsonObject body, long deadlineMillis) {
        HttpRequest.Builder request = HttpRequest.newBuilder(gateway.resolve(path))
                .timeout(Duration.ofSeconds(BOUND_SECONDS))
                .header("content-type", "application/json")
                .POST(BodyPublishers.ofString(body.encode()));
        if (deadlineMillis > 0) {
            request.header("x-recallgate-deadline-ms", Long.toString(deadlineMillis));
        }
        return send(request.build());
    }

    private Answer get(String path) {
        return send(HttpRequest.newBuilder(gateway.resolve(path))
                        .timeout(Duration.ofSeconds(BOUND_SECONDS))
                        .build())
                .join();
    }

    private CompletableFuture<Answer> send(HttpRequest request) {
        long sent = now();
        return http.sendAsync(request, BodyHandlers.ofString())
                .thenApply(response -> new Answer(response, now() - sent));
    }

    private static List<Answer> all(List<CompletableFuture<Answer>> answers) throws Exception {
        List<Answer> all = new ArrayList<>();
        for (CompletableFuture<Answer> answer : answers) {
            all.add(answer.get());
        }
        return all;
    }

    private double metric(String name) {
        return get("/metrics")
                .response()
                .body()
                .lines()
                .filter(line -> line.startsWith(name + " "))
                .mapToDouble(line -> Double.parseDouble(line.substring(name.length() + 1)))
                .findFirst()
                .orElseThrow();
    }

    private static long count(Connection connection, String sql) {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            rows.next();
            return rows.getLong(1);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private static long now() {
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime());
    }
}
