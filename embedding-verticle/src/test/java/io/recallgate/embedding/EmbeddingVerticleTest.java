package io.recallgate.embedding;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.recallgate.embedding.api.EmbedInput;
import io.recallgate.embedding.api.EmbedRequest;
import io.recallgate.embedding.api.EmbedResult;
import io.recallgate.embedding.api.InputType;
import io.recallgate.embedding.api.Priority;
import io.recallgate.embedding.pool.PoolLimits;
import io.recallgate.embedding.pool.ShutdownReport;
import io.recallgate.embedding.protocol.FromWorker;
import io.recallgate.embedding.protocol.WorkerDrops;
import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import io.recallgate.time.CancelCause;
import io.recallgate.time.CancelSignal;
import io.recallgate.time.Deadline;
import io.recallgate.time.FakeClock;
import io.recallgate.time.SystemClock;
import io.vertx.core.Context;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.ThreadingModel;
import io.vertx.core.VerticleBase;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.json.JsonObject;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class EmbeddingVerticleTest extends PoolTest {

    @Test
    void aTextComesBackAsItsVector() {
        deploy(1);

        EmbedResult result = join(embed("hello", "world"));

        assertThat(result.vectors())
                .containsExactly(ScriptedModels.vectorOf("hello"), ScriptedModels.vectorOf("world"));
        assertThat(result.tokenCounts()).containsExactly(7, 7);
        assertThat(result.model()).isEqualTo(join(pool.embedder().model())).isEqualTo(join(pool.ready()));
    }

    /** CONTRACTS A1. */
    @Test
    void aCancelledTaskBehindABlockedOneNeverRunsAndTheWorkerStays() {
        deploy(1);
        ScriptedModels.Block block = models.block("first");
        Future<EmbedResult> first = embed("first");
        block.awaitEntered();
        CancelSignal cancel = new CancelSignal();
        Future<EmbedResult> second = pool.embedder().embed(request(cancel, "second"));

        cancel.cancel(CancelCause.CALLER);

        assertFails(second, FailureCode.CANCELLED);
        block.release();
        join(first);
        join(embed("third"));
        assertThat(models.ran()).containsExactly("first", "third");
        assertThat(models.loads()).isEqualTo(1);
        assertThat(generations(status())).containsExactly(1);
    }

    /** CONTRACTS A3. */
    @Test
    void cancelledOrLateInputStartsNothing() {
        deploy(1);
        CancelSignal fired = new CancelSignal();
        fired.cancel(CancelCause.DISCONNECTED);
        EmbedRequest late = new EmbedRequest(
                "late",
                List.of(new EmbedInput.Text("late")),
                InputType.QUERY,
                Priority.QUERY,
                Deadline.afterMillis(SystemClock.INSTANCE, 0),
                new CancelSignal());

        assertFails(pool.embedder().embed(request(fired, "cancelled")), FailureCode.CANCELLED);
        assertFails(pool.embedder().embed(late), FailureCode.DEADLINE_EXCEEDED);
        join(embed("marker"));
        assertThat(models.ran()).containsExactly("marker");
    }

    /** CONTRACTS A4. */
    @Test
    void cancellingARunSettlesTheCallerAtOnceAndTheSlotStaysChargedUntilItReturns() {
        deploy(1);
        ScriptedModels.Block block = models.blockForGood("long");
        CancelSignal cancel = new CancelSignal();
        Future<EmbedResult> running = pool.embedder().embed(request(cancel, "long"));
        block.awaitEntered();
        awaitStatus(status -> states(status).allMatch("running"::equals));

        cancel.cancel(CancelCause.CALLER);

        assertFails(running, FailureCode.CANCELLED);
        assertThat(slot(0).getString("state")).isEqualTo("running");
        block.release();
        awaitStatus(status -> states(status).allMatch("idle"::equals));
        assertThat(generations(status())).containsExactly(1);
        assertThat(status().getJsonObject("queue").getInteger("operations")).isZero();
    }

    /** CONTRACTS A8. */
    @Test
    void twoHundredCancellationsReplaceNoWorker() {
        deploy(2);
        List<Future<EmbedResult>> asked = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            CancelSignal cancel = new CancelSignal();
            asked.add(pool.embedder().embed(request(cancel, "text " + i)));
            if (i % 3 == 0) {
                join(embed("between " + i));
            }
            cancel.cancel(CancelCause.CALLER);
        }

        for (Future<EmbedResult> one : asked) {
            join(one.otherwiseEmpty());
        }
        awaitStatus(status -> states(status).allMatch("idle"::equals));
        JsonObject status = status();
        assertThat(generations(status)).containsExactly(1, 1);
        assertThat(models.loads()).isEqualTo(2);
        assertThat(status.getJsonArray("slots").getJsonObject(0).getInteger("retry_debt"))
                .isZero();
        assertThat(status.getJsonObject("queue").getLong("bytes")).isZero();
        assertThat(status.getJsonObject("counters").getLong("start_failures")).isZero();
    }

    @Test
    void anAbandonedRunIsTerminatedForWorkThatWaits() {
        deploy(1);
        ScriptedModels.Block block = models.block("abandoned");
        CancelSignal cancel = new CancelSignal();
        Future<EmbedResult> abandoned = pool.embedder().embed(request(cancel, "abandoned"));
        block.awaitEntered();
        awaitStatus(status -> states(status).allMatch("running"::equals));
        Future<EmbedResult> waiting = embed("waiting");

        cancel.cancel(CancelCause.CALLER);

        assertFails(abandoned, FailureCode.CANCELLED);
        assertThat(join(waiting).vectors()).containsExactly(ScriptedModels.vectorOf("waiting"));
        assertThat(models.ran()).containsExactly("waiting");
        assertThat(generations(status())).containsExactly(1);
    }

    @Test
    void aPoisonTextFailsAloneAndItsNeighboursSucceed() {
        models.batchInvariant(true).poison("bad", false);
        deploy(1);
        ScriptedModels.Block block = models.block("first");
        Future<EmbedResult> first = embed("first");
        block.awaitEntered();
        Future<EmbedResult> good = embed("good");
        Future<EmbedResult> bad = embed("bad");
        Future<EmbedResult> fine = embed("fine");
        block.release();

        join(first);
        assertThat(join(good).vectors()).hasSize(1);
        assertThat(join(fine).vectors()).hasSize(1);
        assertFails(bad, FailureCode.EMBEDDING_FAILED);
        assertThat(generations(status())).containsExactly(1);
    }

    @Test
    void aModelThatCannotBeUsedFailsReadyWithItsOneLine() {
        models.failNextLoad(new FailureException(FailureCode.MODEL_UNUSABLE, "model.onnx is damaged: copy it again"));
        deploy(PoolLimits.defaults(1));

        assertThatThrownBy(() -> join(pool.ready())).isInstanceOfSatisfying(FailureException.class, failure -> {
            assertThat(failure.code()).isEqualTo(FailureCode.MODEL_UNUSABLE);
            assertThat(failure.detail()).isEqualTo("model.onnx is damaged: copy it again");
        });
        assertFails(embed("anything"), FailureCode.MODEL_UNUSABLE);
    }

    @Test
    void aStuckWorkerIsReportedStaysChargedAndItsSiblingServes() {
        // A machine that halts for a moment must not look like one more worker that is stuck.
        FakeClock clock = new FakeClock();
        Duration watchdog = Duration.ofMillis(200);
        deploy(clock, impatient(2, watchdog));
        ScriptedModels.Block block = models.blockForGood("stuck");
        Future<EmbedResult> stuck = embed("stuck");
        awaitStatus(status -> states(status).anyMatch("running"::equals));

        // The bound of the run, the grace of its termination, and that of the exit.
        for (int i = 0; i < 3; i++) {
            status();
            clock.advance(watchdog);
        }
        assertFails(stuck, FailureCode.QUARANTINED);
        awaitStatus(status -> states(status).anyMatch("stuck"::equals));
        assertThat(join(embed("sibling")).vectors()).hasSize(1);
        assertFails(embed("stuck"), FailureCode.QUARANTINED);
        assertThat(status().getJsonObject("memory_gate").getLong("charged_bytes"))
                .isEqualTo(2 << 20);

        block.release();
        awaitStatus(status -> states(status).allMatch("idle"::equals));
        assertThat(models.open()).isEqualTo(2);
        assertThat(generations(status())).containsExactlyInAnyOrder(1, 2);
    }

    @Test
    void shutdownReportsAThreadThatDoesNotReturnAndNeverWaitsForIt() {
        FakeClock clock = new FakeClock();
        Duration span = Duration.ofMillis(100);
        deploy(clock, impatient(1, span));
        ScriptedModels.Block block = models.blockForGood("stuck");
        Future<EmbedResult> stuck = embed("stuck");
        block.awaitEntered();
        awaitStatus(status -> states(status).allMatch("running"::equals));

        Future<ShutdownReport> shutdown = pool.shutdown(Deadline.afterMillis(clock, 5_000));
        // The drain, the grace of the termination, and that of the exit.
        for (int i = 0; i < 3; i++) {
            status();
            clock.advance(span);
        }

        ShutdownReport report = join(shutdown);
        assertThat(report.unconfirmed()).containsExactly(new ShutdownReport.Unconfirmed(0, 1));
        assertFails(stuck, FailureCode.SHUTTING_DOWN);
        assertThat(join(pool.shutdown(Deadline.afterMillis(clock, 5_000)))).isEqualTo(report);
        block.release();
    }

    @Test
    void shutdownDuringALoadIsBoundedByItsDeadline() {
        CountDownLatch loading = new CountDownLatch(1);
        models.holdLoads(loading);
        deploy(PoolLimits.defaults(1));

        ShutdownReport report = join(pool.shutdown(Deadline.afterMillis(SystemClock.INSTANCE, 100)));

        assertThat(report.unconfirmed()).containsExactly(new ShutdownReport.Unconfirmed(0, 1));
        loading.countDown();
    }

    @Test
    void anOrderlyShutdownClosesEveryModelAndRefusesWhatComesAfter() {
        deploy(2);
        join(embed("before"));

        ShutdownReport report = join(pool.shutdown(Deadline.afterMillis(SystemClock.INSTANCE, 60_000)));

        assertThat(report.isClean()).isTrue();
        assertThat(models.open()).isZero();
        assertFails(embed("after"), FailureCode.SHUTTING_DOWN);
    }

    @Test
    void undeployingClosesEveryModelAndTakesTheMetersAway() {
        deploy(2);
        assertThat(registry.get("recallgate.embedding.slots")
                        .tag("kind", "idle")
                        .gauge()
                        .value())
                .isEqualTo(2);

        join(vertx.undeploy(pool.deploymentID()));

        assertThat(models.open()).isZero();
        assertThat(registry.find("recallgate.embedding.slots").gauge()).isNull();
        // Controls are undeployed behind their workers' last word, which nobody waits for.
        while (!vertx.deploymentIDs().isEmpty()) {
            Thread.onSpinWait();
        }
    }

    @Test
    void restartingASlotStartsItsNextGenerationAndAnUnknownOneIsNotFound() {
        deploy(1);

        join(pool.operations().restart(0));

        awaitStatus(status ->
                generations(status).equals(List.of(2)) && states(status).allMatch("idle"::equals));
        assertThat(models.open()).isEqualTo(1);
        assertThat(join(embed("again")).vectors()).hasSize(1);
        assertFails(pool.operations().restart(7), FailureCode.NOT_FOUND);
    }

    @Test
    void aWorkerWhoseModelDoesNotCloseStillTellsWhatItHasDropped() {
        BusTap tap = new BusTap(vertx);
        models.failClosing(true);
        deploy(1);

        join(pool.operations().restart(0));

        assertThat(tap.await(FromWorker.Stopped.class).drops()).isEqualTo(WorkerDrops.NONE);
        models.failClosing(false);
        awaitStatus(status ->
                generations(status).equals(List.of(2)) && states(status).allMatch("idle"::equals));
    }

    @Test
    void aRunThatMakesAWorkerHoldMoreRaisesItsCharge() {
        deploy(1);
        assertThat(slot(0).getLong("charged_bytes")).isEqualTo(1 << 20);
        models.holdBytes(5 << 20);

        join(embed("large"));

        assertThat(slot(0).getLong("charged_bytes")).isEqualTo(5 << 20);
        assertThat(registry.get("recallgate.embedding.memory.charged.bytes")
                        .gauge()
                        .value())
                .isEqualTo(5 << 20);
    }

    @Test
    void answersArriveOnTheCallersContext() {
        deploy(1);
        Context caller = vertx.getOrCreateContext();
        Promise<Boolean> seen = Promise.promise();

        caller.runOnContext(ignored -> pool.embedder()
                .embed(request(new CancelSignal(), "here"))
                .onComplete(done -> seen.complete(done.succeeded() && Vertx.currentContext() == caller)));

        assertThat(join(seen.future())).isTrue();
    }

    @Test
    void aCallerIsAnsweredAlsoWhenItsAnswerCannotBeCounted() {
        deploy(1);
        registry.config().meterFilter(new MeterFilter() {
            @Override
            public Meter.Id map(Meter.Id id) {
                if (id.getName().equals("recallgate.embedding.requests")) {
                    throw new IllegalStateException("scripted");
                }
                return id;
            }
        });

        assertThat(join(embed("a")).vectors()).containsExactly(ScriptedModels.vectorOf("a"));
    }

    @Test
    void aTokenOutsideTheVocabularyIsTheCallersMistake() {
        deploy(1);

        assertThatATokenIsNamed(embedTokenOutside());
        assertThat(refused()).isEqualTo(1);
    }

    @Test
    void aTokenOutsideTheVocabularyIsTheCallersMistakeAlsoBeforeAModelIsLoaded() {
        CountDownLatch loading = new CountDownLatch(1);
        models.holdLoads(loading);
        deploy(PoolLimits.defaults(1));
        Future<EmbedResult> early = embedTokenOutside();

        loading.countDown();

        assertThatATokenIsNamed(early);
    }

    private Future<EmbedResult> embedTokenOutside() {
        return pool.embedder()
                .embed(new EmbedRequest(
                        "tokens",
                        List.of(new EmbedInput.Text("a"), new EmbedInput.Tokens(new int[] {1, 2, 100})),
                        InputType.DOCUMENT,
                        Priority.QUERY,
                        Deadline.afterMillis(SystemClock.INSTANCE, 60_000),
                        new CancelSignal()));
    }

    private static void assertThatATokenIsNamed(Future<EmbedResult> answer) {
        assertThatThrownBy(() -> join(answer)).isInstanceOfSatisfying(FailureException.class, failure -> {
            assertThat(failure.code()).isEqualTo(FailureCode.INVALID_FIELD);
            assertThat(failure.field()).isEqualTo("input[1][2]");
        });
    }

    @Test
    void workerMovesArePublishedAndCounted() {
        List<JsonObject> events = new CopyOnWriteArrayList<>();
        join(vertx.eventBus()
                .<JsonObject>consumer("recallgate.events", message -> events.add(message.body()))
                .completion());
        deploy(1);
        join(embed("one"));
        awaitStatus(status -> states(status).allMatch("idle"::equals));
        // The last event is on its way behind this answer.
        awaitStatus(status -> events.size() >= 2);

        assertThat(events.stream().map(event -> event.getString("to"))).containsSubsequence("starting", "idle");
        assertThat(events.get(0).getString("type")).isEqualTo("worker-state");
        assertThat(registry.get("recallgate.embedding.requests")
                        .tag("outcome", "ok")
                        .counter()
                        .count())
                .isEqualTo(1);
        assertThat(registry.get("recallgate.embedding.inference.duration")
                        .timer()
                        .count())
                .isEqualTo(1);
    }

    @Test
    void aCallerWhoseHandlerThrowsTakesNoAnswerFromOthers() {
        deploy(1);
        ScriptedModels.Block block = models.block("shared");
        Future<EmbedResult> rude = embed("shared");
        Future<EmbedResult> polite = embed("shared");
        // This thread belongs to no context, so the handler runs where the answer is given.
        rude.onComplete(done -> {
            throw new IllegalStateException("scripted");
        });
        block.awaitEntered();
        block.release();

        assertThat(join(polite).vectors()).containsExactly(ScriptedModels.vectorOf("shared"));
        join(embed("after"));
        awaitStatus(status -> states(status).allMatch("idle"::equals));
        assertThat(models.ran()).containsExactly("shared", "after");
    }

    @Test
    void aCallerWhoseContextIsGoneTakesNoAnswerFromOthers() {
        deploy(1);
        ScriptedModels.Block block = models.block("shared");
        List<Future<EmbedResult>> asked = new CopyOnWriteArrayList<>();
        String worker = join(vertx.deployVerticle(
                new VerticleBase() {
                    @Override
                    public Future<?> start() {
                        asked.add(embed("shared"));
                        return Future.succeededFuture();
                    }
                },
                new DeploymentOptions().setThreadingModel(ThreadingModel.WORKER).setWorkerPoolName("gone-soon")));
        asked.add(embed("shared"));
        block.awaitEntered();
        join(vertx.undeploy(worker));
        // Answered where the pool answers: nothing that comes after it has happened yet.
        CompletableFuture<Double> counted = new CompletableFuture<>();
        asked.get(0)
                .onSuccess(answer -> counted.complete(registry.get("recallgate.embedding.requests")
                        .tag("outcome", "ok")
                        .counter()
                        .count()));
        block.release();

        for (Future<EmbedResult> one : asked) {
            assertThat(join(one).vectors()).containsExactly(ScriptedModels.vectorOf("shared"));
        }
        assertThat(counted)
                .as("counted before it is told")
                .succeedsWithin(1, TimeUnit.MINUTES)
                .isEqualTo(1.0);
    }

    @Test
    void aLargeTextIsTheSameWorkAsItselfAndCancelsLikeASmallOne() {
        deploy(1);
        String large = "x".repeat(200_000);
        ScriptedModels.Block block = models.block("first");
        Future<EmbedResult> first = embed("first");
        block.awaitEntered();
        CancelSignal cancel = new CancelSignal();
        Future<EmbedResult> given = pool.embedder().embed(request(cancel, large + "?"));
        Future<EmbedResult> one = embed(large);
        Future<EmbedResult> same = embed(large);
        cancel.cancel(CancelCause.CALLER);

        assertFails(given, FailureCode.CANCELLED);
        awaitStatus(status -> status.getJsonObject("counters").getLong("joined") == 1);
        block.release();
        join(first);
        assertThat(join(one).vectors()).isEqualTo(join(same).vectors());
        assertThat(models.ran().stream().map(String::length)).containsExactly(5, large.length());
        awaitStatus(status -> status.getJsonObject("queue").getLong("bytes") == 0);
    }

    @Test
    void aTextIsChargedWithWhatItHoldsAndOneThatFillsTheQueueIsLetIn() {
        deploy(1);
        ScriptedModels.Block block = models.block("first");
        Future<EmbedResult> first = embed("first");
        block.awaitEntered();
        int queue = 8 << 20;
        String english = "e".repeat(queue - 100_005 - 3 * EmbedInput.Text.OVERHEAD_BYTES);
        Future<EmbedResult> large = embed(english);
        Future<EmbedResult> japanese = embed("日".repeat(50_000));

        awaitStatus(status -> status.getJsonObject("queue").getInteger("operations") == 3);
        assertThat(status().getJsonObject("queue").getLong("bytes"))
                .as("one byte a character of the first two, two of the third, and what is around each")
                .isEqualTo(queue);
        assertFails(embed("e"), FailureCode.OVERLOADED);
        assertFails(embed("e".repeat(queue + 1)), FailureCode.WORK_TOO_LARGE);
        assertFails(embed("日".repeat(queue / 2 + 1)), FailureCode.WORK_TOO_LARGE);
        block.release();
        join(first);
        join(large);
        join(japanese);
    }

    @Test
    void aLargeTextIsNotLookedAtOnTheEventLoop() throws Exception {
        deploy(1);
        CountDownLatch release = new CountDownLatch(1);
        int threads = VertxOptions.DEFAULT_WORKER_POOL_SIZE;
        CountDownLatch busy = new CountDownLatch(threads);
        for (int i = 0; i < threads; i++) {
            vertx.executeBlocking(
                    () -> {
                        busy.countDown();
                        return release.await(30, TimeUnit.SECONDS);
                    },
                    false);
        }
        assertThat(busy.await(30, TimeUnit.SECONDS)).isTrue();

        // No worker thread is free: who comes with a large text waits for one, and nobody else does.
        CancelSignal cancel = new CancelSignal();
        Future<EmbedResult> cancelled = pool.embedder().embed(request(cancel, "c".repeat(200_000)));
        Future<EmbedResult> patient = embed("p".repeat(200_000));
        Future<EmbedResult> late = pool.embedder()
                .embed(new EmbedRequest(
                        "late",
                        List.of(new EmbedInput.Text("l".repeat(200_000))),
                        InputType.DOCUMENT,
                        Priority.QUERY,
                        Deadline.afterMillis(SystemClock.INSTANCE, 50),
                        new CancelSignal()));
        join(embed("small"));
        cancel.cancel(CancelCause.DISCONNECTED);
        assertFails(cancelled, FailureCode.CANCELLED);
        assertFails(late, FailureCode.DEADLINE_EXCEEDED);
        assertThat(patient.isComplete()).isFalse();

        // What waits is bounded, too.
        List<Future<EmbedResult>> flood = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            flood.add(embed(i + "f".repeat(400_000)));
        }
        assertFails(flood.get(19), FailureCode.OVERLOADED);
        long overloaded = flood.stream().filter(Future::failed).count();
        assertThat(refused()).as("with the one that was late").isEqualTo(overloaded + 2);

        release.countDown();
        join(patient);
        join(flood.get(0));
        for (Future<EmbedResult> one : flood) {
            join(one.otherwiseEmpty());
        }
        assertThat(models.ran()).contains("small").noneMatch(text -> text.startsWith("c") || text.startsWith("l"));
    }

    @Test
    void twoPoolsOfOneVertxDoNotHearEachOther() {
        deploy(1);
        ScriptedModels others = new ScriptedModels();
        EmbeddingVerticle second = new EmbeddingVerticle(
                EmbeddingOptions.defaults("other", Path.of("unused"), 1).withoutPublicAddresses(),
                new SimpleMeterRegistry(),
                others,
                SystemClock.INSTANCE);
        join(vertx.deployVerticle(second));
        join(second.ready());

        join(second.embedder().embed(request(new CancelSignal(), "to the second")));
        join(embed("to the first"));

        assertThat(others.ran()).containsExactly("to the second");
        assertThat(models.ran()).containsExactly("to the first");
    }

    @Test
    void aPoolWhoseFirstLookAtTheMemoryFailsStartsAllTheSameCountsItAndLooksAgain() {
        FakeClock time = new FakeClock();
        AtomicInteger looks = new AtomicInteger();
        MemoryBudget seen = new MemoryBudget(new MemoryLimit(8L << 30, "scripted"), 0, 0);
        EmbeddingVerticle blind = new EmbeddingVerticle(
                EmbeddingOptions.defaults("scripted", Path.of("unused"), 1).withoutPublicAddresses(),
                registry,
                models,
                time,
                new EmbeddingVerticle.Machine(context -> time, charged -> {
                    if (looks.incrementAndGet() == 1) {
                        throw new IllegalStateException("as of a file that cannot be read");
                    }
                    return seen;
                }));

        join(vertx.deployVerticle(blind));

        join(blind.ready());
        assertThat(registry.get("recallgate.embedding.memory.read.failures")
                        .counter()
                        .count())
                .isEqualTo(1);
        time.advance(Duration.ofMinutes(1));
        while (blind.latest().gate().budgetBytes() != seen.workerBytes()) {
            Thread.onSpinWait();
        }
        assertThat(looks).hasValue(2);
    }

    private long refused() {
        return status().getJsonObject("counters").getLong("refused");
    }

    static void assertFails(Future<?> future, FailureCode code) {
        assertThatThrownBy(() -> join(future))
                .isInstanceOfSatisfying(FailureException.class, failure -> assertThat(failure.code())
                        .isEqualTo(code));
    }
}
