package io.recallgate.embedding;

import static io.recallgate.embedding.RealBus.failure;
import static io.recallgate.embedding.RealBus.get;
import static io.recallgate.embedding.RealBus.times;
import static org.assertj.core.api.Assertions.assertThat;

import io.recallgate.embedding.GatedModels.Gate;
import io.recallgate.embedding.pool.PoolLimits.Watchdogs;
import io.recallgate.embedding.protocol.FromWorker;
import io.recallgate.embedding.protocol.ToWorker;
import io.recallgate.embedding.protocol.WorkerExit;
import io.recallgate.failure.FailureCode;
import io.vertx.core.Future;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** CONTRACTS A6 and A6a with the real model over the real bus. */
@Timeout(300)
class RealWatchdogTest {

    private static final Duration LONG_SPAN = Duration.ofSeconds(60);
    private static final Duration SHORT_SPAN = Duration.ofMillis(300);
    private static final int MANY = 8;
    private static final String MIDDLE = "word ".repeat(250).strip();

    private final GatedModels models = new GatedModels();

    @Test
    void a6ARunThatOutlivesItsWatchdogIsEndedNativelyAndItsSlotGoesOn() {
        models.together();
        Watchdogs watchdogs = new Watchdogs(LONG_SPAN, LONG_SPAN, SHORT_SPAN, LONG_SPAN, LONG_SPAN, LONG_SPAN);
        try (RealBus bus = new RealBus(models, RealBus.watched(2, watchdogs)).awaitIdle()) {
            Gate gate = models.gate(MIDDLE).keepInside();

            Future<JsonObject> expiring = bus.embed("first", times(MANY, MIDDLE));
            gate.awaitInsideNativeCode();
            expire(bus);
            JsonObject first = failure(expiring, FailureCode.QUARANTINED);
            ToWorker.Terminate end = bus.tap.await(ToWorker.Terminate.class);
            FromWorker.Terminated ended = bus.tap.await(FromWorker.Terminated.class);
            gate.letGo();
            bus.awaitIdle();

            assertThat(first.getString("detail")).contains("watchdog");
            assertThat(ended.sliceId()).isEqualTo(end.sliceId());
            assertThat(bus.events("work-quarantined"))
                    .singleElement()
                    .satisfies(event -> assertThat(event.getBoolean("final")).isFalse());
            assertThat(bus.status().getInteger("quarantined")).isZero();
            assertThat(bus.vectors("next", "the slot goes on")).hasSize(1);

            // A suspect runs one row to a slice.
            assertThat(bus.vectors("again", times(MANY, MIDDLE))).hasSize(MANY);
            assertThat(bus.counter("expired_executions")).isEqualTo(1);
            assertThat(bus.generations()).containsExactly(1, 1);
            assertThat(models.loads()).isEqualTo(2);
        }
    }

    @Test
    void a6TheSameWorkThatExpiresTwiceIsGivenUpAndNotSentAgain() {
        try (RealBus bus = new RealBus(models, RealBus.watched(1, execution(LONG_SPAN))).awaitIdle()) {
            for (int i = 0; i < 2; i++) {
                Gate gate = models.closeGate("hopeless");
                Future<JsonObject> expiring = bus.embed("try-" + i, "hopeless");
                gate.awaitReached();
                expire(bus);
                failure(expiring);
                gate.open();
                bus.awaitIdle();
            }
            JsonObject third = failure(bus.embed("third", "hopeless"));

            assertThat(third.getString("detail")).contains("not tried again");
            assertThat(bus.tap.all(ToWorker.Dispatch.class)).hasSize(2);
            assertThat(bus.tap.all(FromWorker.Terminated.class)).hasSize(2);
            assertThat(bus.vectors("other", "other work")).hasSize(1);
            assertThat(bus.counter("expired_executions")).isEqualTo(2);
            assertThat(bus.generations()).containsExactly(1);
            assertThat(models.loads()).isEqualTo(1);
        }
    }

    @Test
    void a6AThreadThatDoesNotComeBackIsStuckItsWorkIsQuarantinedAndItsSiblingServes() {
        try (RealBus bus = new RealBus(models, RealBus.watched(2, execution(SHORT_SPAN))).awaitIdle()) {
            Gate gate = models.gate("stuck");
            Future<JsonObject> expiring = bus.embed("first", "stuck");
            gate.awaitReached();
            expire(bus);
            failure(expiring, FailureCode.QUARANTINED);
            bus.passUntil(SHORT_SPAN, status -> PoolTest.states(status).anyMatch("stuck"::equals));

            JsonObject again = failure(bus.embed("again", "stuck"), FailureCode.QUARANTINED);
            assertThat(again.getString("detail")).contains("has not returned");
            assertThat(bus.vectors("sibling", "the sibling serves")).hasSize(1);
            JsonObject status = bus.status();
            assertThat(status.getInteger("quarantined")).isEqualTo(1);
            assertThat(PoolTest.states(status)).containsExactlyInAnyOrder("stuck", "idle");
            assertThat(status.getJsonObject("memory_gate").getLong("charged_bytes"))
                    .as("a stuck worker holds its memory")
                    .isGreaterThan(100L << 20);

            gate.open();
            bus.tap.await(WorkerExit.class);
            bus.awaitIdle();
            assertThat(bus.generations()).containsExactlyInAnyOrder(1, 2);
            assertThat(bus.status().getInteger("quarantined")).isZero();
            assertThat(models.ran()).as("its run was ended before it began").containsExactly("the sibling serves");
        }
    }

    @Test
    void a6ALoadThatDoesNotEndIsStuckAndItsSiblingServes() {
        Gate load = models.gateLoad(2);
        Watchdogs watchdogs = new Watchdogs(SHORT_SPAN, LONG_SPAN, LONG_SPAN, LONG_SPAN, LONG_SPAN, LONG_SPAN);
        try (RealBus bus = new RealBus(models, RealBus.watched(2, watchdogs))) {
            load.awaitReached();
            bus.passUntil(SHORT_SPAN, status -> PoolTest.states(status).anyMatch("stuck"::equals));

            assertThat(bus.vectors("sibling", "the sibling serves")).hasSize(1);
            assertThat(bus.counter("start_failures")).isEqualTo(1);
            assertThat(bus.generations()).containsExactly(1, 1);

            load.open();
            bus.awaitStatus(status -> PoolTest.states(status).allMatch("idle"::equals));
            assertThat(bus.dropped("ready")).as("the late one is of no use").isEqualTo(1);
            assertThat(bus.generations()).containsExactly(1, 2);
        }
    }

    /** The dispatch is lost on its way; when it arrives after all, nobody is there any more. */
    @Test
    void a6ADispatchThatIsNeverStartedCostsTheWorkerAndTheSiblingServesTheCaller() {
        Watchdogs watchdogs = new Watchdogs(LONG_SPAN, SHORT_SPAN, LONG_SPAN, LONG_SPAN, LONG_SPAN, LONG_SPAN);
        try (RealBus bus = new RealBus(models, RealBus.watched(2, watchdogs)).awaitIdle()) {
            BusTap.Held lost =
                    bus.tap.hold(message -> message instanceof ToWorker.Dispatch dispatch && dispatch.slot() == 0);

            Future<JsonObject> caller = bus.embed("caller", "lost once");
            bus.awaitStatus(status -> PoolTest.states(status).anyMatch("dispatched"::equals));
            bus.clock.advance(SHORT_SPAN);

            assertThat(get(caller).getJsonArray("vectors")).hasSize(1);
            ToWorker.Dispatch second = bus.tap.await(ToWorker.Dispatch.class, dispatch -> dispatch.slot() == 1);
            bus.awaitStatus(status -> PoolTest.generations(status).equals(List.of(2, 1)));
            lost.release();
            bus.awaitIdle();
            assertThat(models.ran()).containsExactly("lost once");
            assertThat(bus.tap.all(FromWorker.Started.class))
                    .singleElement()
                    .satisfies(started -> assertThat(started.sliceId()).isEqualTo(second.sliceId()));
        }
    }

    /** The bound of a run passes once the pool knows of the run. */
    private static void expire(RealBus bus) {
        bus.awaitStatus(status -> PoolTest.states(status).anyMatch("running"::equals));
        bus.clock.advance(SHORT_SPAN);
    }

    private static Watchdogs execution(Duration grace) {
        return new Watchdogs(LONG_SPAN, LONG_SPAN, SHORT_SPAN, grace, grace, LONG_SPAN);
    }
}
