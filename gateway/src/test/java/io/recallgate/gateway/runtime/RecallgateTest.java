package io.recallgate.gateway.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import io.recallgate.gateway.config.ApiKeys;
import io.recallgate.gateway.config.ConfigException;
import io.recallgate.gateway.config.ConfigFiles;
import io.recallgate.gateway.config.SettingsHolder;
import io.recallgate.gateway.postgres.Eventually;
import io.recallgate.gateway.runtime.GatewayRuntime.Phase;
import io.recallgate.recall.read.ReadLimits;
import io.recallgate.recall.read.ReadWorkers;
import io.recallgate.time.FakeClock;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(30)
class RecallgateTest {

    @TempDir
    Path dataDir;

    private final Vertx vertx = Vertx.vertx();
    private final FakeClock clock = new FakeClock();
    private final ScriptedParts parts = new ScriptedParts();

    @SuppressWarnings("NullAway.Init") // set before each test
    private Recallgate gateway;

    @BeforeEach
    void create() throws Exception {
        gateway = another();
        await(gateway.claim());
    }

    private Recallgate another() {
        return new Recallgate(
                vertx,
                ConfigFiles.of(SettingsHolder.of(new JsonObject().put("data-dir", dataDir.toString()))),
                new Recallgate.Time(clock, clock),
                parts.parts(),
                measured());
    }

    private Recallgate.Measured measured() {
        return new Recallgate.Measured(
                new ReadWorkers(ReadLimits.DEFAULTS, clock, clock, new SimpleMeterRegistry()),
                new SimpleMeterRegistry(),
                MeasuredGateway.noCaptures());
    }

    @AfterEach
    void leaveNothing() throws Exception {
        Future<List<String>> stop = gateway.stop();
        // What a start was still waiting for ends with what it was started on.
        parts.database.tryFail("stopped");
        parts.memory.tryFail("stopped");
        await(stop);
        assertThat(clock.pending()).isZero();
        await(vertx.close());
    }

    @Test
    void itIsReadyWhenDatabaseMemoryAndEmbeddingAre() throws Exception {
        Future<Void> start = gateway.start();
        assertThat(gateway.phase()).isEqualTo(Phase.STARTING);
        assertThatThrownBy(gateway::services).isInstanceOfSatisfying(FailureException.class, failure -> {
            assertThat(failure.code()).isEqualTo(FailureCode.NOT_READY);
            assertThat(failure.retryAfter()).isNotNull();
        });

        parts.databaseIsUp();
        parts.memoryIsOpen();
        assertThat(gateway.phase()).isEqualTo(Phase.STARTING);
        parts.embedding.complete();
        await(start);

        assertThat(gateway.phase()).isEqualTo(Phase.READY);
        assertThat(gateway.services()).isNotNull();
        assertThat(status()).isEqualTo("ready");
    }

    @Test
    void theModelLoadsWhileTheDatabaseStarts() throws Exception {
        Future<Void> start = gateway.start();
        untilEvent("start database");

        assertThat(parts.events).containsExactlyInAnyOrder("start embedding", "start database");
        assertThat(start.isComplete()).isFalse();
    }

    @Test
    void aModelThatCannotBeUsedFailsTheStart() throws Exception {
        Future<Void> start = gateway.start();
        untilEvent("start database");

        parts.embedding.fail(new FailureException(FailureCode.MODEL_UNUSABLE, "no such model: x"));

        assertThatThrownBy(() -> await(start)).hasMessageContaining("no such model: x");
    }

    @Test
    void anyOtherTroubleOfEmbeddingsOnlyDegrades() throws Exception {
        parts.embeddingStatus = "starting";
        Future<Void> start = gateway.start();
        parts.databaseIsUp();
        parts.memoryIsOpen();
        untilEvent("open memory");

        parts.embedding.fail(new FailureException(FailureCode.EMBEDDING_FAILED, "out of memory"));
        await(start);

        assertThat(gateway.phase()).isEqualTo(Phase.READY);
        assertThat(status()).isEqualTo("degraded");
    }

    @Test
    void aModelThatLoadsForEverIsNotWaitedForForEver() throws Exception {
        Future<Void> start = gateway.start();
        parts.databaseIsUp();
        parts.memoryIsOpen();
        untilEvent("open memory");

        clock.advanceMillis(29_999);
        assertThat(start.isComplete()).isFalse();
        clock.advanceMillis(1);
        await(start);

        assertThat(gateway.phase()).isEqualTo(Phase.READY);
    }

    @Test
    void aDatabaseThatCannotBeHadFailsTheStartAndTheStopStillWorks() throws Exception {
        Future<Void> start = gateway.start();
        parts.database.fail(new FailureException(FailureCode.DATABASE_UNAVAILABLE, "the database refuses"));

        assertThatThrownBy(() -> await(start)).hasMessageContaining("the database refuses");
        assertThat(await(gateway.stop())).isEmpty();
        assertThat(gateway.phase()).isEqualTo(Phase.STOPPING);
    }

    @Test
    void aStopGoesDownInOrderAndOnlyOnce() throws Exception {
        ready();
        gateway.onDrain(() -> {
            parts.events.add("drain");
            return Future.succeededFuture();
        });
        parts.events.clear();

        Future<List<String>> one = gateway.stop();
        Future<List<String>> two = gateway.stop();

        assertThat(await(one)).isEmpty();
        assertThat(await(two)).isEmpty();
        assertThat(parts.events)
                .containsExactly("drain", "stop jobs", "stop embedding", "close memory", "stop database");
    }

    @Test
    void duringAStopServicesSayThatItIsStopping() throws Exception {
        ready();
        Promise<Void> request = Promise.promise();
        gateway.onDrain(request::future);

        Future<List<String>> stop = gateway.stop();

        assertThat(gateway.phase()).isEqualTo(Phase.STOPPING);
        assertThatThrownBy(gateway::services)
                .isInstanceOfSatisfying(FailureException.class, failure -> assertThat(failure.code())
                        .isEqualTo(FailureCode.SHUTTING_DOWN));
        assertThat(status()).isEqualTo("stopping");
        request.complete();
        await(stop);
    }

    @Test
    void requestsAreWaitedForToTheDrainBoundAndThenReported() throws Exception {
        ready();
        gateway.onDrain(() -> Promise.promise().future());
        Future<List<String>> stop = gateway.stop();

        clock.advanceMillis(9_999);
        assertThat(parts.events).doesNotContain("stop database");
        clock.advanceMillis(1);

        assertThat(await(stop)).containsExactly("running requests");
        assertThat(parts.events).contains("stop database");
    }

    @Test
    void aStepThatFailsIsReportedAndTheNextOnesFollow() throws Exception {
        ready();
        parts.embeddingStop = Future.failedFuture("a worker did not return");

        assertThat(await(gateway.stop())).containsExactly("embedding workers");
        assertThat(parts.events).contains("close memory", "stop database");
    }

    @Test
    void aStopDuringTheStartNeverBecomesReady() throws Exception {
        Future<Void> start = gateway.start();
        untilEvent("start database");
        Future<List<String>> stop = gateway.stop();
        parts.databaseIsUp();
        parts.memoryIsOpen();
        parts.embedding.complete();

        assertThatThrownBy(() -> await(start)).hasMessageContaining("stopping");
        assertThat(await(stop)).isEmpty();
        assertThat(gateway.phase()).isEqualTo(Phase.STOPPING);
    }

    @Test
    void theDirectoryIsHeldUntilTheEndAndFreeAfterwards() throws Exception {
        Recallgate second = another();
        assertThatThrownBy(() -> await(second.claim()))
                .hasRootCauseInstanceOf(ConfigException.class)
                .hasMessageContaining("is in use by another gateway (process "
                        + ProcessHandle.current().pid() + ")");

        await(gateway.stop());

        await(second.claim());
        await(second.stop());
    }

    @Test
    void manyReadersOfHealthCostOnePingASecond() throws Exception {
        ready();
        parts.events.clear();

        for (int i = 0; i < 50; i++) {
            await(gateway.health());
        }
        assertThat(parts.events).containsExactly("ping");
        clock.advanceMillis(1_001);
        await(gateway.health());
        assertThat(parts.events).containsExactly("ping", "ping");
    }

    @Test
    void aKeysFileIsLookedAtWhileItRunsAndADamagedOneIsInItsHealth() throws Exception {
        await(gateway.stop());
        Path file = Files.writeString(dataDir.resolve("keys.yaml"), keysOf("alice"));
        ConfigFiles files = ConfigFiles.of(SettingsHolder.of(new JsonObject()
                .put("data-dir", dataDir.toString())
                .put("http", new JsonObject().put("api-keys-file", file.toString()))));
        gateway = new Recallgate(vertx, files, new Recallgate.Time(clock, clock), parts.parts(), measured());
        ready();
        Supplier<ApiKeys> keys = files.keys().orElseThrow();

        Files.writeString(file, keysOf("bob"));
        looksUntil("bob", () -> keys.get().check("").orElseThrow().owner().equals("bob"));
        assertThat(status()).isEqualTo("ready");

        Files.writeString(file, "keys: [");
        looksUntil("stale", () -> files.stale().equals(List.of("api-keys")));
        assertThat(keys.get().size()).isEqualTo(1);
        JsonObject health = await(gateway.health());
        assertThat(health.getString("status")).isEqualTo("degraded");
        assertThat(health.getJsonObject("strict").getString("index")).isEqualTo("no-extension");
        assertThat(health.getJsonObject("configuration").encode())
                .isEqualTo("{\"status\":\"stale\",\"files\":[\"api-keys\"]}");
        assertThat(health.encode()).doesNotContain(dataDir.toString());

        Files.writeString(file, keysOf("bob"));
        looksUntil("mended", () -> files.stale().isEmpty());
        assertThat(status()).isEqualTo("ready");
    }

    private static String keysOf(String owner) {
        // Of the empty key.
        return "keys: [{sha256: e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855, owner: " + owner
                + ", rights: [read]}]";
    }

    /** Each look is on a worker and arms the next. */
    private void looksUntil(String what, BooleanSupplier condition) throws InterruptedException {
        Eventually.holds(what, 10, () -> {
            if (clock.pending() > 0) {
                clock.advanceMillis(1_000);
            }
            return condition.getAsBoolean();
        });
    }

    @Test
    void aDatabaseThatDoesNotAnswerMakesItUnavailable() throws Exception {
        ready();
        parts.ping = Future.failedFuture(new FailureException(FailureCode.DATABASE_UNAVAILABLE, "gone"));

        JsonObject health = await(gateway.health());

        assertThat(health.getString("status")).isEqualTo("unavailable");
        assertThat(health.getJsonObject("database").getString("reason")).isEqualTo("database-unavailable");
    }

    @Test
    void healthAnswersWithinASecondWhateverHangs() throws Exception {
        ready();
        parts.ping = Promise.<Void>promise().future();

        Future<JsonObject> first = gateway.health();
        Future<JsonObject> second = gateway.health();
        assertThat(first.isComplete()).isFalse();
        clock.advanceMillis(999);

        assertThat(await(first).getString("status")).isEqualTo("unavailable");
        assertThat(await(second).getJsonObject("database").getString("reason")).isEqualTo("database-unavailable");
    }

    @Test
    void aDatabaseThatFallsSilentIsKnownWithinTwoSeconds() throws Exception {
        ready();
        assertThat(status()).isEqualTo("ready");
        parts.ping = Promise.<Void>promise().future();

        clock.advanceMillis(500);
        Future<JsonObject> next = gateway.health();
        clock.advanceMillis(1_499);

        assertThat(await(next).getString("status")).isEqualTo("unavailable");
    }

    @Test
    void noStateHasAnEdgeThatTheTableDoesNotHave() {
        Lifecycle lifecycle = new Lifecycle();

        assertThatThrownBy(() -> lifecycle.to(LifecycleState.READY)).isInstanceOf(IllegalStateException.class);
        lifecycle.to(LifecycleState.STOPPING);
        assertThat(lifecycle.toIfLegal(LifecycleState.READY)).isFalse();
        lifecycle.to(LifecycleState.STOPPED);
        assertThatThrownBy(() -> lifecycle.to(LifecycleState.STARTING)).isInstanceOf(IllegalStateException.class);
    }

    private void ready() throws Exception {
        Future<Void> start = gateway.start();
        parts.databaseIsUp();
        parts.memoryIsOpen();
        parts.embedding.complete();
        await(start);
    }

    private String status() throws Exception {
        return String.valueOf(await(gateway.health()).getString("status"));
    }

    /** Start hops over a worker thread for the directory. */
    private void untilEvent(String event) throws InterruptedException {
        Eventually.holds(event, 10, () -> parts.events.contains(event));
    }

    private static <T> T await(Future<T> future) throws Exception {
        return future.toCompletionStage().toCompletableFuture().get(20, TimeUnit.SECONDS);
    }
}
