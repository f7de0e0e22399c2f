package io.recallgate.embedding;

import static io.recallgate.embedding.RealBus.LONG;
import static io.recallgate.embedding.RealBus.failure;
import static io.recallgate.embedding.RealBus.get;
import static io.recallgate.embedding.RealBus.times;
import static org.assertj.core.api.Assertions.assertThat;

import io.recallgate.embedding.GatedModels.Gate;
import io.recallgate.embedding.api.EmbedInput;
import io.recallgate.embedding.api.EmbeddingVector;
import io.recallgate.embedding.protocol.FromWorker;
import io.recallgate.embedding.protocol.ToWorker;
import io.recallgate.failure.FailureCode;
import io.vertx.core.Future;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** CONTRACTS A1, A4, A8 and A24 with the real model over the real bus. */
@Timeout(300)
class RealCancellationTest {

    private static final String TEXT = "The retrospective moved to Thursday because Ana is travelling.";

    private final GatedModels models = new GatedModels();

    @Test
    void a1ACancelledRequestBehindABlockedOneNeverReachesInferenceAndTheSameWorkerServesTheNext() {
        try (RealBus bus = RealBus.warm(models, 1)) {
            Gate gate = models.gate("A");
            Future<JsonObject> a = bus.embed("a", "A");
            gate.awaitReached();
            Future<JsonObject> b = bus.embed("b", "B");
            bus.awaitStatus(status -> status.getJsonObject("queue").getInteger("waiters") == 2);

            assertThat(bus.cancel("b")).isEqualTo("cancelled");
            failure(b, FailureCode.CANCELLED);
            gate.open();

            assertThat(get(a).getJsonArray("vectors")).hasSize(1);
            assertThat(bus.vectors("c", "C")).hasSize(1);
            assertThat(models.ran()).containsExactly("A", "C");
            assertThat(models.loads()).isEqualTo(1);
            assertThat(bus.generations()).containsExactly(1);
            assertThat(bus.tap.all(ToWorker.Dispatch.class)).hasSize(2);
            assertThat(bus.counter("starts")).isEqualTo(1);
        }
    }

    @Test
    void a4ACancelledRunSettlesItsCallerAtOnceAndStaysChargedUntilTheWorkerHasAnsweredOnce() {
        models.together();
        try (RealBus bus = RealBus.warm(models, 1)) {
            String[] rows = times(8, LONG);
            Gate gate = models.gate(LONG).keepInside();
            Future<JsonObject> running = bus.embed("running", rows);
            gate.awaitInsideNativeCode();
            bus.awaitStatus(status -> PoolTest.states(status).allMatch("running"::equals));

            assertThat(bus.cancel("running")).isEqualTo("running");
            failure(running, FailureCode.CANCELLED);
            JsonObject meanwhile = bus.status();
            gate.awaitInsideNativeCode();
            gate.letGo();

            assertThat(PoolTest.states(meanwhile)).containsExactly("running");
            assertThat(meanwhile.getJsonObject("queue").getInteger("waiters")).isZero();
            assertThat(meanwhile.getJsonObject("queue").getInteger("operations"))
                    .isEqualTo(1);
            assertThat(meanwhile.getJsonObject("queue").getLong("bytes"))
                    .isEqualTo(8 * new EmbedInput.Text(LONG).chargedBytes());

            FromWorker.Completed completed = bus.tap.await(FromWorker.Completed.class);
            bus.awaitIdle();
            assertReleased(bus.status());
            bus.tap.tellPool(completed);
            bus.awaitStatus(status -> status.getJsonObject("dropped").getLong("completed", 0L) == 1);
            assertReleased(bus.status());
            assertThat(models.nativeRuns()).isEqualTo(1);
            assertThat(bus.generations()).containsExactly(1);
        }
    }

    private static void assertReleased(JsonObject status) {
        assertThat(status.getJsonObject("queue").getInteger("operations")).isZero();
        assertThat(status.getJsonObject("queue").getLong("bytes")).isZero();
    }

    @Test
    void a24AnUnwantedRunIsEndedOnlyForWorkThatWaitsAndTheWorkerGoesOnExactly() {
        models.together();
        try (RealBus bus = RealBus.warm(models, 1)) {
            List<EmbeddingVector> before = bus.vectors("before", TEXT);
            Gate gate = models.gate(LONG).keepInside();
            Future<JsonObject> unwanted = bus.embed("unwanted", times(8, LONG));
            gate.awaitInsideNativeCode();
            bus.awaitStatus(status -> PoolTest.states(status).allMatch("running"::equals));
            assertThat(bus.cancel("unwanted")).isEqualTo("running");
            failure(unwanted, FailureCode.CANCELLED);
            bus.status();
            assertThat(bus.tap.all(ToWorker.Terminate.class)).isEmpty();

            List<EmbeddingVector> after = bus.vectors("after", TEXT);

            ToWorker.Terminate end = bus.tap.await(ToWorker.Terminate.class);
            FromWorker.Terminated ended = bus.tap.await(FromWorker.Terminated.class);
            assertThat(ended.sliceId()).isEqualTo(end.sliceId());
            assertThat(after).isEqualTo(before);
            assertThat(models.ran()).containsExactly(TEXT, TEXT);
            assertThat(models.loads()).isEqualTo(1);
            assertThat(bus.generations()).containsExactly(1);
            assertThat(bus.counter("terminations")).isEqualTo(1);
        }
    }

    @Test
    void a24WorkThatSomebodyStillWantsIsNotEndedWhoeverWaits() {
        models.together();
        try (RealBus bus = RealBus.warm(models, 1)) {
            Gate gate = models.gate(LONG).keepInside();
            Future<JsonObject> leaves = bus.embed("leaves", times(8, LONG));
            Future<JsonObject> stays = bus.embed("stays", times(8, LONG));
            gate.awaitInsideNativeCode();
            bus.awaitStatus(status -> PoolTest.states(status).allMatch("running"::equals));
            Future<JsonObject> waiting = bus.embed("waiting", TEXT);
            bus.awaitStatus(status -> status.getJsonObject("queue").getInteger("waiters") == 3);

            assertThat(bus.cancel("leaves")).isEqualTo("running");

            failure(leaves, FailureCode.CANCELLED);
            gate.letGo();
            assertThat(RealBus.vectors(get(stays))).hasSize(8);
            get(waiting);
            assertThat(bus.tap.all(ToWorker.Terminate.class)).isEmpty();
            assertThat(bus.counter("joined")).isEqualTo(1);
            assertThat(models.nativeRuns()).isEqualTo(2);
        }
    }

    @Test
    void a24WithNothingElseWaitingTheWorkFinishesAndTheRetryTakesItsResult() {
        models.together();
        try (RealBus bus = RealBus.warm(models, 1)) {
            Gate gate = models.gate(LONG).keepInside();
            Future<JsonObject> first = bus.embed("first", times(8, LONG));
            gate.awaitInsideNativeCode();
            bus.awaitStatus(status -> PoolTest.states(status).allMatch("running"::equals));
            assertThat(bus.cancel("first")).isEqualTo("running");
            failure(first, FailureCode.CANCELLED);
            gate.letGo();
            FromWorker.Completed completed = bus.tap.await(FromWorker.Completed.class);
            bus.awaitStatus(status -> status.getInteger("retained") == 1);

            List<EmbeddingVector> retry = bus.vectors("retry", times(8, LONG));

            assertThat(retry)
                    .isEqualTo(completed.parts().get(0).rows().stream()
                            .map(row -> row.vector())
                            .toList());
            assertThat(models.nativeRuns()).isEqualTo(1);
            assertThat(bus.tap.all(ToWorker.Terminate.class)).isEmpty();
            assertThat(bus.counter("retained_used")).isEqualTo(1);
            assertThat(bus.status().getInteger("retained")).isZero();
        }
    }

    /** The figures are printed; what is asserted leaves room for a heap that grows to its bound. */
    @Test
    void a8AThousandRandomCancellationsUnderLoadReplaceNoWorkerAndLeaveNothingBehind() {
        try (RealBus bus = RealBus.warm(models, 2)) {
            List<EmbeddingVector> before = bus.vectors("before", TEXT);
            RandomCancels cancels = new RandomCancels(bus, 20_261_130);
            cancels.run(500);
            long half = RandomCancels.residentMegabytes();
            cancels.run(500);
            bus.awaitIdle();
            long whole = RandomCancels.residentMegabytes();
            System.out.println("A8: " + cancels + ", resident " + half + " MB after 500, " + whole + " MB after 1,000");

            assertThat(cancels.settled()).isEqualTo(cancels.sent());
            assertThat(cancels.cancelled()).isEqualTo(1_000);
            assertThat(models.loads()).isEqualTo(2);
            assertThat(bus.generations()).containsExactly(1, 1);
            assertThat(bus.vectors("after", TEXT)).isEqualTo(before);
            JsonObject status = bus.status();
            assertReleased(status);
            assertThat(status.getJsonArray("slots").stream().map(slot -> ((JsonObject) slot).getInteger("retry_debt")))
                    .containsOnly(0);
            assertThat(bus.counter("workers_lost")).isZero();
            assertThat(bus.counter("illegal_edges")).isZero();
            if (half > 0) {
                assertThat(whole - half).isLessThan(200);
            }
        }
    }

    @Test
    void anIdCanBeUsedAgainAsSoonAsItsRequestIsAnswered() {
        try (RealBus bus = RealBus.warm(models, 1)) {
            Gate gate = models.gate("A");
            List<Future<JsonObject>> answers = new ArrayList<>();
            answers.add(bus.embed("same", "A"));
            gate.awaitReached();

            // Not waited for: the next request is on its way before the cancellation is answered.
            Future<JsonObject> cancelled = bus.send("recallgate.embed.cancel", new JsonObject().put("id", "same"));
            answers.add(bus.embed("same", "B"));

            get(cancelled);
            failure(answers.get(0), FailureCode.CANCELLED);
            gate.open();
            assertThat(get(answers.get(1)).getJsonArray("vectors")).hasSize(1);
        }
    }
}
