package io.recallgate.embedding.pool;

import static org.assertj.core.api.Assertions.assertThat;

import io.recallgate.embedding.api.EmbedInput;
import io.recallgate.embedding.protocol.FromWorker;
import io.recallgate.embedding.protocol.RunFailure;
import io.recallgate.embedding.protocol.SlicePart;
import io.recallgate.embedding.protocol.ToWorker;
import io.recallgate.failure.FailureCode;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Cases A14, A21, A22 and A24: work in slices, and what ends a slice. */
class SliceTest {

    private final PoolFixture pool = PoolFixture.withSlots(1);
    private ScriptedWorker worker = new ScriptedWorker(pool, 0, 0);

    @BeforeEach
    void oneWarmWorker() {
        pool.warm(1);
        worker = pool.worker(0);
    }

    @AfterEach
    void nothingRemains() {
        pool.endsClean();
    }

    @Test
    void manyRowsRunInSlicesOfEightAndComeBackInOrder() {
        String[] texts = PoolFixture.rows("row ", 20);
        texts[9] = "long!";
        long a = pool.document(texts);
        assertThat(worker.last().rows()).isEqualTo(8);
        worker.run();
        worker.run();
        assertThat(worker.last().rows()).isEqualTo(4);
        assertThat(pool.isSettled(a)).isFalse();
        worker.run();

        assertThat(pool.result(a).vectors())
                .isEqualTo(Arrays.stream(texts).map(ScriptedWorker::vector).toList());
        assertThat(pool.result(a).truncated()).containsExactly(9);
        assertThat(pool.result(a).timing().inferenceNanos()).isEqualTo(6);
        assertThat(worker.dispatches).hasSize(3);
    }

    @Test
    void aQueryRunsBetweenTheSlicesOfALongDocument() {
        pool.document(PoolFixture.rows("row ", 20));
        worker.start();
        long query = pool.query("query");
        worker.complete();
        worker.run();
        assertThat(pool.isSettled(query)).isTrue();
        worker.run();
        worker.run();
        assertThat(worker.dispatches).hasSize(4);
    }

    @Test
    void aQueryLetsDocumentsLeaveOffBehindTheRowThatRuns() {
        String[] texts = PoolFixture.rows("row ", 8);
        long document = pool.document(texts);
        worker.start();
        assertThat(worker.pauses).as("nobody waits").isEmpty();

        long query = pool.query("query");
        pool.query("another");
        assertThat(worker.pauses)
                .containsExactly(
                        new ToWorker.Pause(0, worker.generation, worker.last().sliceId()));
        worker.leaveOff(3);
        worker.run();
        assertThat(pool.isSettled(query)).isTrue();
        worker.run();

        SlicePart rest = worker.last().parts().get(0);
        assertThat(rest.rowOffset()).isEqualTo(3);
        worker.run();
        assertThat(pool.result(document).vectors())
                .isEqualTo(Arrays.stream(texts).map(ScriptedWorker::vector).toList());
        assertThat(pool.counter("pauses")).isEqualTo(1);
    }

    @Test
    void workThatWasLeftOffBeforeItsFirstRowKeepsItsTurn() {
        pool.document("first");
        long[] waiting = {pool.document("a"), pool.document("b"), pool.document("c")};
        worker.run();
        worker.start();
        long late = pool.document("d");
        pool.query("query");
        worker.leaveOff(1);
        assertThat(pool.isSettled(waiting[0])).isTrue();
        worker.run();

        assertThat(worker.last().parts().stream().flatMap(part -> part.rows().stream()))
                .containsExactly(new EmbedInput.Text("b"), new EmbedInput.Text("c"), new EmbedInput.Text("d"));
        worker.run();
        assertThat(pool.isSettled(late)).isTrue();
    }

    @Test
    void a23DocumentsWhoseTurnHasComeAreNotLeftOff() {
        pool.document(PoolFixture.rows("row ", 8));
        worker.start();
        for (int i = 0; i < 9; i++) {
            pool.query("query " + i);
        }
        worker.leaveOff(1);
        for (int i = 0; i < 8; i++) {
            worker.run();
        }
        assertThat(worker.last().rows()).as("the documents' turn").isEqualTo(7);
        worker.start();
        assertThat(worker.pauses).hasSize(1);
        worker.complete();
        worker.run();
    }

    @Test
    void a14WorkWhoseCallerLeftStopsAtTheNextSliceAndIsResumedByARetry() {
        String[] texts = PoolFixture.rows("row ", 20);
        long a = pool.document(texts);
        worker.start();
        pool.cancel(a);
        worker.complete();
        assertThat(worker.dispatches).as("no slice for nobody").hasSize(1);
        assertThat(pool.snapshot().operations()).isZero();

        long again = pool.document(texts);
        SlicePart part = worker.last().parts().get(0);
        assertThat(part.rowOffset()).as("not from the start").isEqualTo(8);
        worker.run();
        worker.run();
        assertThat(pool.result(again).vectors())
                .isEqualTo(Arrays.stream(texts).map(ScriptedWorker::vector).toList());
        assertThat(worker.dispatches).hasSize(3);
    }

    @Test
    void a14WaitingWorkWithFinishedRowsKeepsThemWhenItsCallerLeaves() {
        String[] texts = PoolFixture.rows("row ", 12);
        long a = pool.document(texts);
        worker.start();
        long query = pool.query("query");
        worker.complete();
        pool.cancel(a);
        worker.run();
        assertThat(pool.isSettled(query)).isTrue();
        pool.document(texts);
        assertThat(worker.last().parts().get(0).rowOffset()).isEqualTo(8);
        worker.run();
    }

    @Test
    void a24AbandonedWorkIsEndedOnlyWhenOtherWorkWaits() {
        long a = pool.document("a");
        worker.start();
        pool.cancel(a);
        assertThat(worker.terminates).as("nobody else waits").isEmpty();

        long b = pool.query("b");
        assertThat(worker.terminates).hasSize(1);
        worker.acknowledgeTermination(0);
        assertThat(pool.state(0)).isEqualTo(SlotState.DISPATCHED);
        worker.run();
        assertThat(pool.result(b).vectors()).containsExactly(ScriptedWorker.vector("b"));
        assertThat(pool.counter("terminations")).isEqualTo(1);
        assertThat(pool.slot(0).generation()).isEqualTo(1);
    }

    @Test
    void a24ASliceIsNotEndedWhileOneOfItsOperationsIsWanted() {
        pool.query("busy");
        worker.start();
        long a = pool.document("a");
        long b = pool.document("b");
        worker.complete();
        assertThat(worker.last().parts()).hasSize(2);
        worker.start();
        pool.cancel(a);
        long query = pool.query("query");
        assertThat(worker.terminates).isEmpty();

        pool.cancel(b);
        assertThat(worker.terminates).hasSize(1);
        worker.acknowledgeTermination(1);
        worker.run();
        assertThat(pool.isSettled(query)).isTrue();
        long again = pool.document("a");
        assertThat(pool.isSettled(again)).as("its row was done before the end").isTrue();
    }

    @Test
    void a24ACallerWhoComesBackDuringTheTerminationIsServedAfterIt() {
        String[] texts = PoolFixture.rows("row ", 4);
        long a = pool.document(texts);
        worker.start();
        pool.cancel(a);
        long b = pool.query("b");
        long again = pool.document(texts);
        worker.acknowledgeTermination(3);
        worker.run();
        assertThat(pool.isSettled(b)).isTrue();
        assertThat(worker.last().parts().get(0).rowOffset()).isEqualTo(3);
        worker.run();
        assertThat(pool.result(again).vectors())
                .isEqualTo(Arrays.stream(texts).map(ScriptedWorker::vector).toList());
    }

    @Test
    void a22OnePoisonInputFailsAloneAndItsNeighboursSucceed() {
        pool.query("busy");
        worker.start();
        List<Long> documents = List.of(pool.document("a"), pool.document("b"), pool.document("c"));
        worker.complete();
        worker.start();
        worker.completeWithPoison(1);

        assertThat(pool.result(documents.get(0)).vectors()).containsExactly(ScriptedWorker.vector("a"));
        assertThat(pool.code(documents.get(1))).isEqualTo(FailureCode.EMBEDDING_FAILED);
        assertThat(pool.result(documents.get(2)).vectors()).containsExactly(ScriptedWorker.vector("c"));
        assertThat(pool.state(0)).isEqualTo(SlotState.IDLE);
    }

    @Test
    void a22WhenNobodyCanBeBlamedEachIsTriedAlone() {
        pool.query("busy");
        worker.start();
        long a = pool.document("a");
        long b = pool.document("b");
        worker.complete();
        worker.start();
        worker.fail(RunFailure.INTERNAL);
        assertThat(worker.last().parts()).hasSize(1);
        worker.run();
        worker.start();
        worker.fail(RunFailure.INTERNAL);
        assertThat(pool.isSettled(a)).isTrue();
        assertThat(pool.code(b)).isEqualTo(FailureCode.EMBEDDING_FAILED);
    }

    @Test
    void a21OutOfMemoryIsTriedOnceInSmallerSlicesAndTheTokenCapRecovers() {
        long a = pool.document(PoolFixture.rows("row ", 3));
        worker.start();
        worker.fail(RunFailure.OUT_OF_MEMORY);
        assertThat(pool.slot(0).tokenCap()).isEqualTo(2_048);
        assertThat(worker.last().rows()).isEqualTo(1);
        worker.run();
        worker.run();
        worker.run();
        assertThat(pool.isSettled(a)).isTrue();
        for (int i = 0; i < 13; i++) {
            pool.query("query " + i);
            worker.run();
        }
        assertThat(pool.slot(0).tokenCap()).isEqualTo(4_096);
    }

    @Test
    void a21ASecondOutOfMemoryOfTheSameWorkFailsItAndNothingElse() {
        long a = pool.document("a");
        worker.start();
        worker.fail(RunFailure.OUT_OF_MEMORY);
        worker.start();
        worker.fail(RunFailure.OUT_OF_MEMORY);
        assertThat(pool.code(a)).isEqualTo(FailureCode.EMBEDDING_FAILED);
        long b = pool.query("b");
        worker.run();
        assertThat(pool.isSettled(b)).isTrue();
        assertThat(pool.slot(0).generation()).isEqualTo(1);
    }

    @Test
    void workThatIsTakenBackBeforeItStartedKeepsItsOrder() {
        long plug = pool.query("plug");
        worker.start();
        pool.document("first");
        pool.document("second");
        pool.document("third");
        worker.complete();
        assertThat(worker.last().parts()).hasSize(3);
        List<SlicePart> sent = worker.last().parts();
        pool.handle(new PoolEvent.RestartSlot(0));

        worker.acknowledgeCancel();
        worker.exit();
        pool.worker(0).ready();

        assertThat(pool.isSettled(plug)).isTrue();
        assertThat(pool.worker(0).last().parts()).isEqualTo(sent);
        pool.worker(0).run();
    }

    @Test
    void aWorkerThatAnswersWithoutRowsFailsTheWorkInsteadOfLooping() {
        long a = pool.query("a");
        worker.start();
        ToWorker.Dispatch sent = worker.last();
        pool.say(new FromWorker.Completed(0, 1, sent.sliceId(), ScriptedWorker.results(sent, 0)));
        assertThat(pool.code(a)).isEqualTo(FailureCode.EMBEDDING_FAILED);
        assertThat(worker.dispatches).hasSize(1);
    }
}
