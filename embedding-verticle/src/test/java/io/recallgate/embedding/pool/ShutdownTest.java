package io.recallgate.embedding.pool;

import static org.assertj.core.api.Assertions.assertThat;

import io.recallgate.embedding.api.ModelIdentity;
import io.recallgate.failure.FailureCode;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Cases A19, A20 and A24b: the sequences that end workers, and what they own up to. */
class ShutdownTest {

    private static final Duration DRAIN = Duration.ofSeconds(10);
    private static final Duration GRACE = Duration.ofSeconds(1);
    private static final ModelIdentity OTHER = new ModelIdentity("n", "f2", 2, 512);

    private PoolFixture pool = PoolFixture.withSlots(1);

    @AfterEach
    void nothingRemains() {
        pool.endsClean();
    }

    @Test
    void a19AdmissionClosesAndEverybodySettlesAtOnce() {
        pool.warm(1);
        long running = pool.query("running");
        pool.worker(0).start();
        long waiting = pool.query("waiting");
        pool.handle(new PoolEvent.Shutdown());

        assertThat(pool.code(running)).isEqualTo(FailureCode.SHUTTING_DOWN);
        assertThat(pool.code(waiting)).isEqualTo(FailureCode.SHUTTING_DOWN);
        assertThat(pool.code(pool.query("late"))).isEqualTo(FailureCode.SHUTTING_DOWN);
        assertThat(pool.worker(0).terminates)
                .as("running work is drained first")
                .isEmpty();
        assertThat(pool.reports).isEmpty();
        pool.worker(0).complete();
        assertThat(pool.worker(0).shutdownAsked).isTrue();
        assertThat(pool.worker(0).retireAsked).isTrue();
        pool.worker(0).exit();
        assertThat(pool.reports).containsExactly(new ShutdownReport(List.of()));
    }

    @Test
    void a19ShuttingDownTwiceIsShuttingDownOnce() {
        pool.warm(1);
        pool.handle(new PoolEvent.Shutdown());
        pool.handle(new PoolEvent.Shutdown());
        assertThat(pool.reports).isEmpty();
        pool.worker(0).exit();
        assertThat(pool.reports).hasSize(1);
        pool.handle(new PoolEvent.Shutdown());
        assertThat(pool.reports).hasSize(2);
    }

    @Test
    void a19AnEmptyPoolEndsAtOnce() {
        pool.handle(new PoolEvent.Shutdown());
        assertThat(pool.reports).hasSize(1);
        assertThat(pool.reports.get(0).isClean()).isTrue();
    }

    @Test
    void a19AShutdownJoinsAReplacementAndALateReplacementReopensNothing() {
        pool.warm(1);
        pool.query("a");
        pool.worker(0).start();
        pool.handle(new PoolEvent.ReplaceModel("n", "f-n"));
        pool.clock.advance(DRAIN.minusSeconds(1));
        pool.handle(new PoolEvent.Shutdown());
        pool.handle(new PoolEvent.ReplaceModel("x", "f-x"));
        pool.handle(new PoolEvent.RestartSlot(0));
        pool.handle(new PoolEvent.WarmUp(1));
        pool.clock.advance(Duration.ofSeconds(1));
        assertThat(pool.worker(0).terminates)
                .as("the drain began with the replacement")
                .hasSize(1);
        pool.worker(0).acknowledgeTermination(0);
        pool.worker(0).exit();

        assertThat(pool.reports).hasSize(1);
        assertThat(pool.workersMade()).isEqualTo(1);
        assertThat(pool.code(pool.query("late"))).isEqualTo(FailureCode.SHUTTING_DOWN);
    }

    @Test
    void a24bARunIsDrainedToABoundThenTerminatedAndItsWorkerRetired() {
        pool.warm(1);
        pool.query("a");
        pool.worker(0).start();
        pool.handle(new PoolEvent.Shutdown());
        pool.clock.advance(DRAIN.minusNanos(1));
        assertThat(pool.worker(0).terminates).isEmpty();
        pool.clock.advance(Duration.ofNanos(1));
        assertThat(pool.worker(0).terminates).hasSize(1);
        pool.worker(0).acknowledgeTermination(0);
        assertThat(pool.worker(0).retireAsked).isTrue();
        pool.worker(0).exit();
        assertThat(pool.reports.get(0).isClean()).isTrue();
    }

    @Test
    void a24bAStuckThreadIsReportedWithinTheDrainBoundAndTwoSeconds() {
        pool = PoolFixture.withSlots(2).warm(2);
        pool.query("a");
        pool.worker(0).start();
        pool.handle(new PoolEvent.Shutdown());
        pool.worker(1).exit();
        pool.clock.advance(DRAIN.plus(GRACE).plus(GRACE).minusNanos(1));
        assertThat(pool.reports).isEmpty();
        pool.clock.advance(Duration.ofNanos(1));

        assertThat(pool.reports).hasSize(1);
        assertThat(pool.reports.get(0).unconfirmed()).containsExactly(new ShutdownReport.Unconfirmed(0, 1));
        assertThat(pool.dispatcher.armedTimers()).isZero();
    }

    @Test
    void a24bAnInitialisationIsWaitedForToTheBoundAndThenReported() {
        pool.query("a");
        pool.handle(new PoolEvent.Shutdown());
        pool.clock.advance(DRAIN);
        assertThat(pool.reports.get(0).unconfirmed()).hasSize(1);
        assertThat(pool.slot(0).debt()).as("a shutdown costs no debt").isZero();
    }

    @Test
    void a24bAnInitialisationThatEndsInTimeIsRetiredAtOnce() {
        pool.query("a");
        pool.handle(new PoolEvent.Shutdown());
        pool.clock.advance(DRAIN.minusSeconds(1));
        pool.worker(0).ready();
        assertThat(pool.worker(0).retireAsked).isTrue();
        assertThat(pool.worker(0).dispatches).isEmpty();
        pool.worker(0).exit();
        assertThat(pool.reports.get(0).isClean()).isTrue();
    }

    @Test
    void a24bADispatchIsTakenBackAndAWorkerThatDoesNotAnswerIsGivenUp() {
        pool = PoolFixture.withSlots(2).warm(2);
        pool.query("a");
        pool.query("b");
        pool.handle(new PoolEvent.Shutdown());
        assertThat(pool.worker(0).cancels).hasSize(1);
        pool.worker(0).acknowledgeCancel();
        pool.worker(0).exit();
        pool.clock.advance(DRAIN.plus(GRACE));
        assertThat(pool.reports.get(0).unconfirmed()).containsExactly(new ShutdownReport.Unconfirmed(1, 1));
    }

    @Test
    void a19NothingIsSentAfterTheEndNotEvenToAWorkerThatStartsWhatWasTakenFromIt() {
        pool.warm(1);
        pool.query("a");
        pool.handle(new PoolEvent.Shutdown());
        pool.clock.advance(DRAIN.plus(GRACE));
        assertThat(pool.reports).hasSize(1);
        int notices = pool.notices.size();

        pool.worker(0).start();

        assertThat(pool.worker(0).terminates).isEmpty();
        assertThat(pool.notices).hasSize(notices);
        assertThat(pool.counter("terminations")).isZero();
        assertThat(pool.dropped("started")).isEqualTo(1);
    }

    @Test
    void a20WaitingWorkIsDoneByTheNewModelAndNothingOfTheOldIsServedAsIts() {
        pool.warm(1);
        long before = pool.query("a");
        pool.worker(0).start();
        pool.cancel(before);
        pool.worker(0).complete();
        String[] texts = PoolFixture.rows("row ", 10);
        long half = pool.document(texts);
        pool.worker(0).start();
        ScriptedWorker old = pool.worker(0);
        long waiting = pool.query("b");

        pool.handle(new PoolEvent.ReplaceModel("n", "f-n"));
        long sameAgain = pool.document(texts);
        old.complete();
        assertThat(old.retireAsked).isTrue();
        assertThat(old.dispatches).hasSize(2);
        old.exit();
        pool.worker(0).ready(OTHER);
        while (pool.state(0) == SlotState.DISPATCHED) {
            pool.worker(0).run();
        }

        assertThat(pool.result(waiting).model()).isEqualTo(OTHER);
        assertThat(pool.result(half).model()).isEqualTo(OTHER);
        assertThat(pool.result(sameAgain).vectors())
                .isEqualTo(Arrays.stream(texts).map(ScriptedWorker::vector).toList());
        long again = pool.query("a");
        assertThat(pool.isSettled(again))
                .as("the retained result was the old model's")
                .isFalse();
        pool.worker(0).run();
        assertThat(pool.notices).contains(new PoolNotice.ModelReplaced("m", "n"));
    }

    @Test
    void a20WorkThatComesBackUnderAnEarlierModelIsRunAnewAndLeavesNothingBehind() {
        pool = PoolFixture.withSlots(2).warm(1);
        long first = pool.query("a");
        pool.worker(0).start();
        ScriptedWorker old = pool.worker(0);
        pool.handle(new PoolEvent.ReplaceModel("n", "f-n"));
        long second = pool.query("a");
        pool.worker(1).ready(OTHER);
        ScriptedWorker other = pool.worker(1);
        pool.handle(new PoolEvent.ReplaceModel("m", PoolFixture.MODEL.fingerprint()));
        pool.cancel(first);
        old.complete();
        assertThat(pool.snapshot().retained()).isEqualTo(1);

        other.acknowledgeCancel();

        assertThat(pool.isSettled(second)).isFalse();
        assertThat(pool.snapshot().retained())
                .as("kept for somebody who asks, and he would join the work that runs")
                .isZero();
    }

    @Test
    void a20AReplacementEndsWhatDoesNotDrainInTime() {
        pool.warm(1);
        long a = pool.query("a");
        pool.worker(0).start();
        pool.handle(new PoolEvent.ReplaceModel("n", "f-n"));
        pool.clock.advance(DRAIN);
        pool.worker(0).acknowledgeTermination(0);
        pool.worker(0).exit();
        pool.worker(0).ready(OTHER);
        pool.worker(0).run();
        assertThat(pool.result(a).model()).isEqualTo(OTHER);
    }

    @Test
    void restartingASlotMakesANewGenerationAndLosesNoWork() {
        pool.warm(1);
        long a = pool.query("a");
        pool.worker(0).start();
        pool.handle(new PoolEvent.RestartSlot(0));
        long b = pool.query("b");
        pool.worker(0).complete();
        assertThat(pool.isSettled(a)).isTrue();
        pool.worker(0).exit();
        pool.worker(0).ready();
        pool.worker(0).run();
        assertThat(pool.isSettled(b)).isTrue();
        assertThat(pool.slot(0).generation()).isEqualTo(2);
    }

    @Test
    void restartingAStuckSlotStartsItOnceItsThreadReturned() {
        pool.query("a");
        pool.clock.advance(Duration.ofMinutes(10));
        assertThat(pool.state(0)).isEqualTo(SlotState.STUCK);
        pool.handle(new PoolEvent.RestartSlot(0));
        assertThat(pool.state(0)).isEqualTo(SlotState.STUCK);
        pool.worker(0).exit();
        assertThat(pool.state(0)).isEqualTo(SlotState.STARTING);
        assertThat(Objects.requireNonNull(pool.slot(0)).generation()).isEqualTo(2);
    }
}
