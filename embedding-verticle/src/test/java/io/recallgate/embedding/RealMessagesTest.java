package io.recallgate.embedding;

import static io.recallgate.embedding.RealBus.LONG;
import static io.recallgate.embedding.RealBus.failure;
import static io.recallgate.embedding.RealBus.get;
import static io.recallgate.embedding.RealBus.times;
import static org.assertj.core.api.Assertions.assertThat;

import io.recallgate.embedding.GatedModels.Gate;
import io.recallgate.embedding.api.EmbedInput;
import io.recallgate.embedding.api.EmbeddingVector;
import io.recallgate.embedding.api.InputType;
import io.recallgate.embedding.api.ModelIdentity;
import io.recallgate.embedding.protocol.FromWorker;
import io.recallgate.embedding.protocol.PartResult;
import io.recallgate.embedding.protocol.PartTiming;
import io.recallgate.embedding.protocol.RowResult;
import io.recallgate.embedding.protocol.RunFailure;
import io.recallgate.embedding.protocol.SlicePart;
import io.recallgate.embedding.protocol.StartFailure;
import io.recallgate.embedding.protocol.ToWorker;
import io.recallgate.embedding.protocol.WorkerDrops;
import io.recallgate.embedding.protocol.WorkerExit;
import io.recallgate.failure.FailureCode;
import io.vertx.core.Future;
import io.vertx.core.json.JsonObject;
import java.lang.reflect.RecordComponent;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** CONTRACTS A5 and A27: what pool and workers say to each other over the real bus, with the real model. */
@Timeout(300)
class RealMessagesTest {

    private static final String TEXT = "The retrospective moved to Thursday because Ana is travelling.";

    private final GatedModels models = new GatedModels();

    @Test
    void everyMessageNamesSlotAndGenerationAndEveryOneAboutWorkItsSlice() {
        Set<Class<?>> aboutWorkers = Set.of(
                ToWorker.Shutdown.class,
                FromWorker.Ready.class,
                FromWorker.StartFailed.class,
                FromWorker.Grew.class,
                FromWorker.Stopped.class,
                WorkerExit.class);
        Stream.of(
                        Stream.of(ToWorker.class.getPermittedSubclasses()),
                        Stream.of(FromWorker.class.getPermittedSubclasses()),
                        Stream.of(WorkerExit.class))
                .flatMap(messages -> messages)
                .forEach(message -> {
                    assertThat(components(message)).as(message.getName()).contains("slot", "generation");
                    assertThat(components(message).contains("sliceId"))
                            .as("%s names the slice", message)
                            .isNotEqualTo(aboutWorkers.contains(message));
                });
        assertThat(components(SlicePart.class)).contains("operationId");
        assertThat(components(PartResult.class)).contains("operationId");
    }

    private static Set<String> components(Class<?> record) {
        return Stream.of(record.getRecordComponents())
                .map(RecordComponent::getName)
                .collect(Collectors.toSet());
    }

    @Test
    void aRequestIsDispatchedStartedAndCompletedAndAWorkerReadyAndStoppedInMessages() {
        try (RealBus bus = RealBus.warm(models, 1)) {
            bus.vectors("one", TEXT);
            get(bus.vertx.undeploy(models.deployments().get(0)));
            bus.tap.await(WorkerExit.class);

            List<String> kinds = Stream.of(
                            bus.tap.all(FromWorker.Ready.class).subList(0, 1),
                            bus.tap.all(ToWorker.Dispatch.class),
                            bus.tap.all(FromWorker.Started.class),
                            bus.tap.all(FromWorker.Completed.class),
                            bus.tap.all(FromWorker.Stopped.class),
                            bus.tap.all(WorkerExit.class))
                    .flatMap(List::stream)
                    .map(message -> message.getClass().getSimpleName())
                    .toList();
            assertThat(kinds).containsExactly("Ready", "Dispatch", "Started", "Completed", "Stopped", "WorkerExit");
            ToWorker.Dispatch dispatch = bus.tap.await(ToWorker.Dispatch.class);
            FromWorker.Completed completed = bus.tap.await(FromWorker.Completed.class);
            assertThat(completed.sliceId()).isEqualTo(dispatch.sliceId());
            assertThat(completed.parts().get(0).operationId())
                    .isEqualTo(dispatch.parts().get(0).operationId());
        }
    }

    @Test
    void aCommandReachesAWorkerThatIsInsideNativeCode() {
        models.together();
        try (RealBus bus = RealBus.warm(models, 1)) {
            Gate gate = models.gate(LONG).open();
            Future<JsonObject> caller = bus.embed("long", times(8, LONG));
            gate.awaitInsideNativeCode();
            ToWorker.Dispatch dispatch = bus.tap.await(ToWorker.Dispatch.class);
            String control = bus.tap.addressOf(ToWorker.Dispatch.class) + ".control";

            bus.tap.tell(control, new ToWorker.Terminate(0, 2, dispatch.sliceId()));
            bus.tap.tell(control, new ToWorker.Terminate(0, 1, dispatch.sliceId() - 1));
            bus.tap.tell(control, new ToWorker.CancelDispatch(0, 1, dispatch.sliceId()));
            assertThat(bus.tap.all(FromWorker.Terminated.class))
                    .as("none of those was for this run")
                    .isEmpty();
            gate.awaitInsideNativeCode();
            bus.tap.tell(control, new ToWorker.Terminate(0, 1, dispatch.sliceId()));

            FromWorker.Terminated ended = bus.tap.await(FromWorker.Terminated.class);
            gate.letGo();
            assertThat(ended.finished()).isEmpty();
            assertThat(models.nativeRuns()).isZero();
            bus.awaitStatus(status -> status.getJsonObject("dropped").getLong("worker-late") == 2);
            assertThat(bus.status().getJsonObject("dropped").getLong("worker-misdirected"))
                    .isEqualTo(1);
            // The pool had not asked for that end, so it tries the rows again by themselves.
            assertThat(RealBus.vectors(get(caller))).hasSize(8);
            assertThat(bus.tap.all(FromWorker.Cancelled.class)).isEmpty();
            assertThat(bus.generations()).containsExactly(1);
        }
    }

    @Test
    void a5LateDuplicateReorderedAndOldMessagesAreCountedByKindAndChangeNothing() {
        try (RealBus bus = RealBus.warm(models, 1)) {
            List<EmbeddingVector> before = bus.vectors("before", TEXT);
            Gate gate = models.gate("held");
            Future<JsonObject> caller = bus.embed("held", "held");
            gate.awaitReached();
            bus.awaitStatus(status -> PoolTest.states(status).allMatch("running"::equals));
            ToWorker.Dispatch current = bus.tap.all(ToWorker.Dispatch.class).get(1);
            long slice = current.sliceId();
            PartResult forged = new PartResult(
                    current.parts().get(0).operationId(),
                    0,
                    List.of(new RowResult(EmbeddingVector.of(new float[384]), 3, false)),
                    null,
                    PartTiming.NONE);

            List<FromWorker> strays = List.of(
                    new FromWorker.Ready(0, 1, new ModelIdentity("other", "0", 384, 512), true, 1, 1, 1),
                    new FromWorker.Grew(0, 0, 1L << 40),
                    new FromWorker.StartFailed(0, 1, StartFailure.TERMINAL, "late"),
                    new FromWorker.Started(0, 1, slice, WorkerDrops.NONE),
                    new FromWorker.Started(0, 0, slice, WorkerDrops.NONE),
                    new FromWorker.Started(0, 1, slice - 1, WorkerDrops.NONE),
                    new FromWorker.Completed(0, 1, slice - 1, List.of(forged)),
                    new FromWorker.Completed(0, 2, slice, List.of(forged)),
                    new FromWorker.Completed(7, 1, slice, List.of(forged)),
                    new FromWorker.Failed(0, 0, slice, RunFailure.INTERNAL, "old", List.of()),
                    new FromWorker.Cancelled(0, 1, slice),
                    new FromWorker.Terminated(0, 1, slice + 1, List.of(forged)),
                    new FromWorker.Stopped(0, 1, WorkerDrops.NONE));
            strays.forEach(bus.tap::tellPool);
            bus.tap.tellPool(new WorkerExit(0, 0));
            String worker = bus.tap.addressOf(ToWorker.Dispatch.class);
            bus.tap.tell(worker, current);
            bus.tap.tell(worker, bus.tap.all(ToWorker.Dispatch.class).get(0));
            bus.tap.tell(worker, dispatch(0, 2, slice + 100));
            bus.awaitStatus(status -> status.getJsonObject("dropped").getLong("exited", 0L) == 1);

            JsonObject dropped = bus.status().getJsonObject("dropped");
            assertThat(dropped.getMap())
                    .containsEntry("ready", 1L)
                    .containsEntry("start-failed", 1L)
                    .containsEntry("grew", 1L)
                    .containsEntry("started", 3L)
                    .containsEntry("completed", 3L)
                    .containsEntry("failed", 1L)
                    .containsEntry("cancelled", 1L)
                    .containsEntry("terminated", 1L)
                    .containsEntry("stopped", 1L);
            assertThat(PoolTest.states(bus.status())).containsExactly("running");
            assertThat(caller.isComplete()).isFalse();

            gate.open();
            assertThat(RealBus.vectors(get(caller)).get(0).dot(before.get(0))).isGreaterThan(0.5);
            assertThat(bus.vectors("after", TEXT)).isEqualTo(before);
            assertThat(models.ran()).containsExactly(TEXT, "held", TEXT);
            assertThat(bus.status().getJsonObject("dropped").getMap())
                    .as("told with the start of the run after it")
                    .containsEntry("worker-repeated", 2L)
                    .containsEntry("worker-misdirected", 1L)
                    .containsEntry("worker-late", 0L);
            assertThat(bus.generations()).containsExactly(1);
            assertThat(bus.counter("illegal_edges")).isZero();
        }
    }

    private static ToWorker.Dispatch dispatch(int slot, long generation, long slice) {
        return new ToWorker.Dispatch(
                slot,
                generation,
                slice,
                List.of(new SlicePart(1, InputType.QUERY, 0, List.of(new EmbedInput.Text("stray")))),
                4_096);
    }

    @Test
    void a27ACancellationBeforeDispatchIsAnsweredAndNothingIsSent() {
        try (RealBus bus = RealBus.warm(models, 2)) {
            Gate first = models.gate("first");
            Gate second = models.gate("second");
            List<Future<JsonObject>> busy = List.of(bus.embed("first", "first"), bus.embed("second", "second"));
            first.awaitReached();
            second.awaitReached();
            Future<JsonObject> queued = bus.embed("queued", "queued");
            bus.awaitStatus(status -> status.getJsonObject("queue").getInteger("waiters") == 3);

            assertThat(bus.cancel("queued")).isEqualTo("cancelled");
            failure(queued, FailureCode.CANCELLED);
            assertThat(bus.cancel("queued")).isEqualTo("settled");
            assertThat(bus.cancel("never-heard-of")).isEqualTo("unknown");
            first.open();
            second.open();

            busy.forEach(RealBus::get);
            assertThat(bus.tap.all(ToWorker.Dispatch.class)).hasSize(2);
            assertThat(models.ran()).containsExactlyInAnyOrder("first", "second");
            assertThat(bus.generations()).containsExactly(1, 1);
        }
    }

    @Test
    void a27ACancellationThatCrossesStartedSettlesItsCallerAndTheWorkerStays() {
        try (RealBus bus = RealBus.warm(models, 1)) {
            Gate gate = models.gate("crossing");
            BusTap.Held started = bus.tap.hold(FromWorker.Started.class::isInstance);
            Future<JsonObject> caller = bus.embed("crossing", "crossing");
            gate.awaitReached();
            assertThat(PoolTest.states(bus.status())).containsExactly("dispatched");

            assertThat(bus.cancel("crossing")).isEqualTo("cancelled");
            failure(caller, FailureCode.CANCELLED);
            bus.tap.await(ToWorker.CancelDispatch.class);
            assertThat(PoolTest.states(bus.status()))
                    .as("still charged: the worker has not answered")
                    .containsExactly("dispatched");
            started.release();
            bus.awaitStatus(status -> PoolTest.states(status).allMatch("running"::equals));
            gate.open();
            bus.awaitIdle();

            assertThat(bus.tap.all(FromWorker.Cancelled.class)).isEmpty();
            assertThat(bus.vectors("retry", "crossing")).hasSize(1);
            assertThat(models.nativeRuns()).as("the retry took what was there").isEqualTo(1);
            assertThat(bus.generations()).containsExactly(1);
            assertThat(models.loads()).isEqualTo(1);
        }
    }

    @Test
    void a27ACancellationThatOvertakesTheDispatchIsAcknowledgedAndTheWorkNeverStarts() {
        try (RealBus bus = RealBus.warm(models, 1)) {
            BusTap.Held dispatch = bus.tap.hold(ToWorker.Dispatch.class::isInstance);
            Future<JsonObject> caller = bus.embed("overtaken", "overtaken");
            bus.tap.await(ToWorker.Dispatch.class);

            assertThat(bus.cancel("overtaken")).isEqualTo("cancelled");
            failure(caller, FailureCode.CANCELLED);
            bus.tap.await(FromWorker.Cancelled.class);
            bus.awaitIdle();
            dispatch.release();

            assertThat(bus.vectors("next", TEXT)).hasSize(1);
            assertThat(models.ran()).containsExactly(TEXT);
            assertThat(bus.tap.all(FromWorker.Started.class)).hasSize(1);
            assertThat(bus.generations()).containsExactly(1);
        }
    }

    @Test
    void a27AWorkerThatIsUndeployedUnderWayFinishesItsRunAndItsSiblingServesWhatWasOnItsWay() {
        try (RealBus bus = RealBus.warm(models, 2)) {
            Gate gate = models.gate("running");
            Future<JsonObject> running = bus.embed("running", "running");
            gate.awaitReached();
            int lost = bus.tap.await(ToWorker.Dispatch.class).slot();
            Future<Void> undeployed = bus.vertx.undeploy(models.deployments().get(lost));
            bus.embed("sibling", "the sibling serves meanwhile");
            gate.open();

            assertThat(get(running).getJsonArray("vectors")).hasSize(1);
            get(undeployed);
            bus.tap.await(WorkerExit.class);
            Future<JsonObject> next = bus.embed("next", "next");
            assertThat(get(next).getJsonArray("vectors")).hasSize(1);
            bus.awaitIdle();
            assertThat(bus.generations().get(lost)).isEqualTo(2);
            assertThat(bus.generations().get(1 - lost)).isEqualTo(1);
            assertThat(bus.counter("workers_lost")).isEqualTo(1);
        }
    }

    @Test
    void a27WorkThatWasSentToALostWorkerAndNeverStartedIsServedByTheSibling() {
        try (RealBus bus = RealBus.warm(models, 2)) {
            BusTap.Held onItsWay =
                    bus.tap.hold(message -> message instanceof ToWorker.Dispatch dispatch && dispatch.slot() == 0);
            Future<JsonObject> caller = bus.embed("caller", "once and no more");
            bus.tap.await(ToWorker.Dispatch.class);

            get(bus.vertx.undeploy(models.deployments().get(0)));

            assertThat(get(caller).getJsonArray("vectors")).hasSize(1);
            onItsWay.release();
            bus.awaitIdle();
            assertThat(bus.generations()).containsExactly(2, 1);
            assertThat(models.ran()).containsExactly("once and no more");
            assertThat(bus.counter("workers_lost")).isEqualTo(1);
        }
    }

    /** An exit is the last thing a worker says; one that says it in the middle of a run is lost to the pool. */
    @Test
    void a27ACallerWhoseWorkerIsLostInARunGetsATypedFailureAndItsLateAnswerIsDropped() {
        try (RealBus bus = RealBus.warm(models, 2)) {
            Gate gate = models.gate("lost");
            Future<JsonObject> caller = bus.embed("lost", "lost");
            gate.awaitReached();
            bus.awaitStatus(status -> PoolTest.states(status).anyMatch("running"::equals));
            ToWorker.Dispatch dispatch = bus.tap.await(ToWorker.Dispatch.class);

            bus.tap.tellPool(new WorkerExit(dispatch.slot(), dispatch.generation()));

            JsonObject failure = failure(caller, FailureCode.EMBEDDING_FAILED);
            assertThat(failure.getString("detail")).contains("the worker ended");
            assertThat(bus.vectors("sibling", "the sibling serves")).hasSize(1);
            gate.open();
            bus.tap.await(FromWorker.Completed.class, done -> done.sliceId() == dispatch.sliceId());
            bus.awaitStatus(status -> status.getJsonObject("dropped").getLong("completed", 0L) == 1);
            bus.awaitIdle();
            assertThat(bus.generations().get(dispatch.slot())).isEqualTo(2);
            assertThat(bus.generations().get(1 - dispatch.slot())).isEqualTo(1);
            get(bus.vertx.undeploy(models.deployments().get(dispatch.slot())));
            assertThat(bus.vectors("next", "everybody serves")).hasSize(1);
        }
    }
}
