package io.recallgate.embedding.pool;

import static org.assertj.core.api.Assertions.assertThat;

import io.recallgate.embedding.protocol.FromWorker;
import io.recallgate.embedding.protocol.PartResult;
import io.recallgate.embedding.protocol.WorkerDrops;
import io.recallgate.failure.FailureCode;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Case A5: what workers say too late, twice, in another order, or for somebody else. */
class LateMessagesTest {

    private final PoolFixture pool = PoolFixture.withSlots(1);

    @AfterEach
    void nothingRemains() {
        pool.endsClean();
    }

    @Test
    void a5LateDuplicateAndOldMessagesAreDroppedAndCounted() {
        pool.warm(1);
        ScriptedWorker worker = pool.worker(0);
        long a = pool.query("a");
        FromWorker.Completed answerToA = worker.completion(worker.last());
        worker.run();
        long b = pool.query("b");
        worker.start();

        pool.say(answerToA);
        pool.say(new FromWorker.Started(0, 1, answerToA.sliceId(), WorkerDrops.NONE));
        pool.say(new FromWorker.Completed(0, 7, worker.last().sliceId(), List.of()));
        pool.say(new FromWorker.Completed(9, 1, worker.last().sliceId(), List.of()));
        pool.say(new FromWorker.Cancelled(0, 1, worker.last().sliceId()));
        worker.ready();
        pool.say(new FromWorker.Stopped(0, 1, WorkerDrops.NONE));

        assertThat(pool.isSettled(a)).isTrue();
        assertThat(pool.isSettled(b)).isFalse();
        assertThat(pool.state(0)).isEqualTo(SlotState.RUNNING);
        assertThat(pool.dropped("completed")).isEqualTo(3);
        assertThat(pool.dropped("started")).isEqualTo(1);
        assertThat(pool.dropped("cancelled")).isEqualTo(1);
        assertThat(pool.dropped("ready")).isEqualTo(1);
        assertThat(pool.dropped("stopped")).isEqualTo(1);
        worker.complete();
        assertThat(pool.result(b).vectors()).containsExactly(ScriptedWorker.vector("b"));
    }

    @Test
    void a5AMessageOfAnEarlierGenerationReleasesNothing() {
        pool.warm(1);
        ScriptedWorker old = pool.worker(0);
        long a = pool.query("a");
        old.start();
        FromWorker.Completed answerOfOld = old.completion(old.last());
        old.exit();
        pool.clock.advanceMillis(2_000);
        ScriptedWorker young = pool.worker(0);
        young.ready();
        long b = pool.query("b");
        young.start();

        pool.say(answerOfOld);
        pool.handle(new PoolEvent.SlotExited(0, old.generation));

        assertThat(pool.state(0)).isEqualTo(SlotState.RUNNING);
        assertThat(pool.code(a)).isEqualTo(FailureCode.EMBEDDING_FAILED);
        young.complete();
        assertThat(pool.isSettled(b)).isTrue();
        assertThat(pool.dropped("completed")).isEqualTo(1);
    }

    @Test
    void a5ACompletionThatOvertookItsStartedStillCountsAndTheStartedIsExpectedOnce() {
        pool.warm(1);
        long a = pool.query("a");
        pool.worker(0).complete();
        assertThat(pool.isSettled(a)).isTrue();
        assertThat(pool.state(0)).isEqualTo(SlotState.IDLE);

        pool.worker(0).start();
        assertThat(pool.dropped("started")).isZero();

        pool.worker(0).start();
        assertThat(pool.dropped("started")).isEqualTo(1);
    }

    @Test
    void a5StartedsThatSeveralEndsOvertookAreAllExpectedAndOthersInBetweenAreNot() {
        pool.warm(1);
        ScriptedWorker worker = pool.worker(0);
        pool.query("a");
        worker.complete();
        FromWorker.Started first = new FromWorker.Started(0, 1, worker.last().sliceId(), WorkerDrops.NONE);
        pool.query("b");
        worker.run();
        FromWorker.Started inOrder = new FromWorker.Started(0, 1, worker.last().sliceId(), WorkerDrops.NONE);
        pool.query("c");
        worker.complete();
        FromWorker.Started last = new FromWorker.Started(0, 1, worker.last().sliceId(), WorkerDrops.NONE);

        pool.say(first);
        pool.say(inOrder);
        pool.say(last);

        // The one in between was heard in time: heard again, it is a repeated one.
        assertThat(pool.dropped("started")).isEqualTo(1);
    }

    @Test
    void a5AnotherGenerationIsNotExpectedToHaveStartedWhatItsPredecessorEnded() {
        pool.warm(1);
        ScriptedWorker old = pool.worker(0);
        pool.query("a");
        old.complete();
        long slice = old.last().sliceId();
        old.exit();
        pool.clock.advanceMillis(2_000);
        pool.query("b");
        pool.worker(0).ready();

        pool.say(new FromWorker.Started(0, 2, slice, WorkerDrops.NONE));

        assertThat(pool.dropped("started")).isEqualTo(1);
    }

    @Test
    void a5AnAnswerWithRowsOfSomebodyElseIsNotBelieved() {
        pool.warm(1);
        long a = pool.query("a");
        pool.worker(0).start();
        FromWorker.Completed honest = pool.worker(0).completion(pool.worker(0).last());
        List<PartResult> shifted = honest.parts().stream()
                .map(part -> new PartResult(part.operationId() + 1, part.rowOffset(), part.rows(), null, part.timing()))
                .toList();
        pool.say(new FromWorker.Completed(0, 1, honest.sliceId(), shifted));
        assertThat(pool.code(a)).isEqualTo(FailureCode.EMBEDDING_FAILED);
        assertThat(pool.state(0)).isEqualTo(SlotState.IDLE);
    }
}
