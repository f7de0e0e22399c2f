package io.recallgate.gateway.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.recallgate.gateway.postgres.Eventually;
import io.recallgate.time.Deadline;
import io.recallgate.time.SystemClock;
import io.vertx.core.json.JsonObject;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a whole gateway says of its health while its database, its embedding provider and its read workers fail, alone and all
 * at once. That an answer takes a second at most is proven with a fake clock; here it is to come at all, in many times that,
 * since the machine may be busy, and long before anything that hangs is given up.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(300)
class HealthUnderFaultsTest {

    private static final Logger LOG = LoggerFactory.getLogger(HealthUnderFaultsTest.class);

    /** Promised is a second. */
    private static final long ANSWER_MILLIS = 20_000;

    /** Promised are two seconds. */
    private static final long NOTICED_MILLIS = 30_000;

    /** What is asked for meanwhile is given up no earlier. */
    private static final long PATIENCE_MILLIS = 60_000;

    private static final int IN_FLIGHT = 64;

    private final List<CompletableFuture<Integer>> hanging = new ArrayList<>();
    private CountDownLatch held = new CountDownLatch(0);
    private WholeGateway gateway;
    private int questions;

    private record Answer(int status, String body, long millis) {}

    @BeforeAll
    void start(@TempDir Path directory) throws Exception {
        gateway = new WholeGateway(
                directory,
                new JsonObject()
                        .put(
                                "embedding",
                                new JsonObject()
                                        .put("timeout-ms", PATIENCE_MILLIS)
                                        .put("breaker-expiries", 1_000))
                        .put("probes", new JsonObject().put("cadence-ms", 86_400_000)),
                IN_FLIGHT);
        assertThat(get("/health/ready").status()).isEqualTo(200);
    }

    @AfterAll
    void stop() {
        gateway.close();
    }

    @AfterEach
    void itComesBackByItselfAndNothingIsLeft() throws Exception {
        gateway.wire.mode(DatabaseProxy.Mode.PASS);
        gateway.provider.answers();
        gateway.provider.release();
        held.countDown();
        Eventually.holds("it is ready again", 60, () -> get("/health/ready").status() == 200);
        for (CompletableFuture<Integer> one : hanging) {
            assertThat(one.get(120, TimeUnit.SECONDS)).isIn(200, 202, 429, 503, 504);
        }
        hanging.clear();
        Eventually.holds("nobody is served any more", 60, () -> get("/metrics")
                .body()
                .contains("recallgate_http_requests_in_flight 0.0"));
        assertThat(remember().get(120, TimeUnit.SECONDS)).isEqualTo(202);
    }

    @ParameterizedTest
    @EnumSource(
            value = DatabaseProxy.Mode.class,
            names = {"HOLD", "CUT", "GONE", "REFUSED"})
    void withoutItsDatabaseItIsLiveAndNotReady(DatabaseProxy.Mode trouble) throws Exception {
        gateway.wire.mode(trouble);

        isNoticed(trouble + " alone");
        for (int i = 0; i < 5; i++) {
            isLiveAndSaysThatTheDatabaseIsAway();
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = DatabaseProxy.Mode.class,
            names = {"HOLD", "REFUSED"})
    void itSaysSoJustAsSoonWhileEverythingElseHangs(DatabaseProxy.Mode trouble) throws Exception {
        everythingButTheDatabaseHangs();
        gateway.wire.mode(trouble);

        isNoticed(trouble + " and everything else");
        for (int i = 0; i < 5; i++) {
            isLiveAndSaysThatTheDatabaseIsAway();
        }
    }

    @Test
    void withEmbeddingsAndReadWorkersThatHangItIsStillReady() throws Exception {
        everythingButTheDatabaseHangs();

        for (int i = 0; i < 5; i++) {
            isInTime("live", get("/health/live"), 200);
            isInTime("ready", get("/health/ready"), 200);
            Answer health = get("/health");
            isInTime("health", health, 200);
            assertThat(new JsonObject(health.body()).getJsonObject("database").getString("status"))
                    .isEqualTo("ready");
            isInTime("metrics", get("/metrics"), 200);
        }
    }

    /** Every read worker has something that does not end, as many wait as may, and so do recalls and writes. */
    private void everythingButTheDatabaseHangs() throws Exception {
        int before = gateway.provider.count();
        gateway.provider.stalls();
        for (int i = 0; i < 4; i++) {
            hanging.add(recall());
        }
        Eventually.holds("the provider was asked", 60, () -> gateway.provider.count() > before);
        CountDownLatch latch = new CountDownLatch(1);
        held = latch;
        AtomicInteger begun = new AtomicInteger();
        Deadline late = Deadline.afterMillis(SystemClock.INSTANCE, PATIENCE_MILLIS);
        for (int i = 0; i < 200; i++) {
            gateway.gateway
                    .readers()
                    .run(late, () -> {
                        begun.incrementAndGet();
                        return latch.await(PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
                    })
                    .onFailure(full -> {});
        }
        Eventually.holds("read workers are busy", 60, () -> begun.get() >= 2);
        for (int i = 0; i < IN_FLIGHT; i++) {
            hanging.add(recall());
            hanging.add(remember());
        }
    }

    private void isNoticed(String what) throws Exception {
        long from = System.nanoTime();
        List<Answer> answers = new ArrayList<>();
        Eventually.holds("readiness ends", 60, () -> {
            isInTime("live", get("/health/live"), 200);
            Answer ready = get("/health/ready");
            answers.add(ready);
            return ready.status() == 503;
        });
        long noticed = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - from);
        long longest = answers.stream().mapToLong(Answer::millis).max().orElseThrow();
        LOG.info("{}: not ready after {} ms; the longest answer took {} ms", what, noticed, longest);
        assertThat(longest).isLessThan(ANSWER_MILLIS);
        assertThat(noticed).isLessThan(NOTICED_MILLIS);
    }

    private void isLiveAndSaysThatTheDatabaseIsAway() throws Exception {
        Answer live = get("/health/live");
        isInTime("live", live, 200);
        assertThat(new JsonObject(live.body()).getString("status")).isEqualTo("live");
        Answer ready = get("/health/ready");
        isInTime("ready", ready, 503);
        assertThat(new JsonObject(ready.body()).getString("status")).isEqualTo("unavailable");
        Answer health = get("/health");
        isInTime("health", health, 503);
        assertThat(new JsonObject(health.body()).getJsonObject("database").getString("reason"))
                .isEqualTo("database-unavailable");
        isInTime("metrics", get("/metrics"), 200);
    }

    private static void isInTime(String what, Answer answer, int status) {
        assertThat(answer.status()).as(what + ": " + answer.body()).isEqualTo(status);
        assertThat(answer.millis()).as("ms of " + what).isLessThan(ANSWER_MILLIS);
    }

    private CompletableFuture<Integer> recall() {
        return post("/v1/recall", new JsonObject().put("query", "harbour " + ++questions));
    }

    private CompletableFuture<Integer> remember() {
        return post("/v1/memories", new JsonObject().put("content", "A note, " + ++questions));
    }

    private CompletableFuture<Integer> post(String path, JsonObject body) {
        return gateway.client
                .sendAsync(
                        request(path)
                                .header("content-type", "application/json")
                                .header("x-recallgate-deadline-ms", Long.toString(PATIENCE_MILLIS))
                                .POST(BodyPublishers.ofString(body.encode()))
                                .build(),
                        BodyHandlers.discarding())
                .thenApply(HttpResponse::statusCode);
    }

    private Answer get(String path) {
        long from = System.nanoTime();
        HttpResponse<String> response = gateway.client
                .sendAsync(request(path).build(), BodyHandlers.ofString())
                .join();
        return new Answer(
                response.statusCode(), response.body(), TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - from));
    }

    private HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + gateway.port + path))
                .timeout(Duration.ofMillis(2 * PATIENCE_MILLIS));
    }
}
