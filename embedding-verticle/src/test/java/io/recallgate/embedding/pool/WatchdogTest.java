package io.recallgate.embedding.pool;

import static org.assertj.core.api.Assertions.assertThat;

import io.recallgate.embedding.api.EmbedInput;
import io.recallgate.failure.FailureCode;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Cases A6, A6a and A7: watchdogs are finite, armed once and nobody's business but the worker's. */
class WatchdogTest {

    private static final Duration INITIALISATION = Duration.ofMinutes(10);
    private static final Duration DISPATCH = Duration.ofSeconds(10);
    private static final Duration EXECUTION = Duration.ofMinutes(5);
    private static final Duration GRACE = Duration.ofSeconds(1);
    private static final Duration DRAIN = PoolLimits.defaults(1).watchdogs().drain();

    private PoolFixture pool = PoolFixture.withSlots(2);

    @AfterEach
    void nothingRemains() {
        pool.endsClean();
    }

    @Test
    void a6AnInitialisationThatHangsIsGivenUpAfterItsCallersLeftAndItsSiblingServes() {
        pool.handle(new PoolEvent.WarmUp(1));
        pool.worker(0).ready();
        long a = pool.query("a");
        pool.worker(0).start();
        long b = pool.query("b");
        assertThat(pool.state(1)).isEqualTo(SlotState.STARTING);
        pool.cancel(b);
        pool.worker(0).complete();
        assertThat(pool.isSettled(a)).isTrue();

        pool.clock.advance(INITIALISATION.minusNanos(1));
        assertThat(pool.state(1)).isEqualTo(SlotState.STARTING);
        pool.clock.advance(Duration.ofNanos(1));

        assertThat(pool.state(1)).isEqualTo(SlotState.STUCK);
        assertThat(pool.slot(1).debt()).as("a hanging start costs debt").isEqualTo(1);
        assertThat(pool.slot(1).chargedBytes()).isPositive();
        assertThat(pool.worker(1).retireAsked).isTrue();
        long c = pool.query("c");
        pool.worker(0).run();
        assertThat(pool.isSettled(c)).isTrue();
        pool.worker(1).ready();
        assertThat(pool.state(1)).as("too late").isEqualTo(SlotState.STUCK);
        assertThat(pool.dropped("ready")).isEqualTo(1);
        pool.worker(1).exit();
        assertThat(pool.slot(1).chargedBytes()).isZero();
    }

    @Test
    void a6WorkThatIsNeverStartedIsGivenToASibling() {
        pool.warm(2);
        long a = pool.query("a");
        ScriptedWorker deaf = pool.worker(0);
        pool.clock.advance(DISPATCH.minusNanos(1));
        assertThat(pool.state(0)).isEqualTo(SlotState.DISPATCHED);
        pool.clock.advance(Duration.ofNanos(1));

        assertThat(pool.state(0)).isEqualTo(SlotState.RETIRING);
        assertThat(deaf.cancels).hasSize(1);
        assertThat(pool.worker(1).dispatches)
                .as("not before the first worker has given it back")
                .isEmpty();
        deaf.acknowledgeCancel();
        pool.worker(1).run();

        assertThat(pool.result(a).vectors()).containsExactly(ScriptedWorker.vector("a"));
        deaf.exit();
        assertThat(pool.state(0)).isNotEqualTo(SlotState.RETIRING);
    }

    @Test
    void a6WorkThatTwoWorkersNeverStartedFails() {
        pool.warm(2);
        long a = pool.query("a");
        for (int slot = 0; slot < 2; slot++) {
            assertThat(pool.worker(slot).dispatches).hasSize(1);
            pool.clock.advance(DISPATCH);
            pool.worker(slot).acknowledgeCancel();
        }
        assertThat(pool.code(a)).isEqualTo(FailureCode.EMBEDDING_UNAVAILABLE);
    }

    @Test
    void a6AWorkerThatNeitherStartsNorAnswersFailsItsWorkInsteadOfRunningItTwice() {
        pool.warm(2);
        long a = pool.query("a");
        pool.clock.advance(DISPATCH);
        pool.clock.advance(GRACE);

        assertThat(pool.state(0)).isEqualTo(SlotState.STUCK);
        assertThat(pool.code(a)).isEqualTo(FailureCode.QUARANTINED);
        pool.worker(0).start();
        assertThat(pool.worker(0).terminates).as("a start after all is ended").hasSize(1);
        long again = pool.query("a");
        assertThat(pool.code(again)).isEqualTo(FailureCode.QUARANTINED);
        pool.worker(0).acknowledgeTermination(0);
        long free = pool.query("a");
        pool.worker(1).run();
        assertThat(pool.isSettled(free)).isTrue();
    }

    @Test
    void a6AnExecutionThatHangsIsEndedNativelyAndItsWorkerGoesOn() {
        pool.warm(2);
        long a = pool.query("a");
        pool.worker(0).start();
        pool.cancel(a);
        pool.clock.advance(EXECUTION.minusNanos(1));
        assertThat(pool.worker(0).terminates).isEmpty();
        pool.clock.advance(Duration.ofNanos(1));

        assertThat(pool.worker(0).terminates).hasSize(1);
        long b = pool.query("b");
        pool.worker(1).run();
        assertThat(pool.isSettled(b)).as("the sibling serves").isTrue();
        pool.worker(0).acknowledgeTermination(0);
        assertThat(pool.state(0)).isEqualTo(SlotState.IDLE);
        assertThat(pool.slot(0).generation()).isEqualTo(1);
    }

    @Test
    void a6AThreadThatDoesNotReturnKeepsItsSlotChargedUntilItDoes() {
        pool.warm(2);
        long a = pool.query("a");
        pool.worker(0).start();
        pool.clock.advance(EXECUTION);
        assertThat(pool.code(a)).isEqualTo(FailureCode.QUARANTINED);
        pool.clock.advance(GRACE);
        assertThat(pool.state(0)).isEqualTo(SlotState.RETIRING);
        pool.clock.advance(GRACE);
        assertThat(pool.state(0)).isEqualTo(SlotState.STUCK);
        assertThat(pool.slot(0).chargedBytes()).isEqualTo(50L << 20);
        assertThat(pool.snapshot().quarantined()).isEqualTo(1);

        pool.clock.advance(Duration.ofHours(10));
        assertThat(pool.state(0)).isEqualTo(SlotState.STUCK);
        pool.worker(0).exit();
        assertThat(pool.snapshot().quarantined()).isZero();
        assertThat(pool.workersMade()).as("warmth is restored").isEqualTo(3);
    }

    @Test
    void a6aTheSameTextAgainStartsNothingUntilItsThreadReturned() {
        pool.warm(2);
        pool.query("poison");
        pool.worker(0).start();
        pool.clock.advance(EXECUTION);

        long again = pool.query("poison");
        assertThat(pool.code(again)).isEqualTo(FailureCode.QUARANTINED);
        assertThat(pool.worker(1).dispatches).isEmpty();

        pool.worker(0).acknowledgeTermination(0);
        long retry = pool.query("poison");
        assertThat(pool.isSettled(retry)).isFalse();
        assertThat(pool.worker(0).dispatches).hasSize(2);
        pool.worker(0).run();
        assertThat(pool.isSettled(retry)).isTrue();
    }

    @Test
    void a6aASecondExpiryOfTheSameWorkIsFinalAndNoThirdSlotIsTaken() {
        pool = PoolFixture.withSlots(3).warm(3);
        pool.query("poison");
        pool.worker(0).start();
        pool.clock.advance(EXECUTION);
        pool.clock.advance(GRACE);
        pool.worker(0).exit();
        pool.worker(0).ready();

        long second = pool.query("poison");
        ScriptedWorker victim = pool.state(0) == SlotState.DISPATCHED ? pool.worker(0) : pool.worker(1);
        victim.start();
        pool.clock.advance(EXECUTION);
        assertThat(pool.code(second)).isEqualTo(FailureCode.EMBEDDING_GIVEN_UP);
        assertThat(pool.code(second).retry()).isEqualTo(FailureCode.Retry.NEVER);

        long third = pool.query("poison");
        assertThat(pool.code(third)).isEqualTo(FailureCode.EMBEDDING_GIVEN_UP);
        victim.acknowledgeTermination(0);
        long fourth = pool.query("poison");
        assertThat(pool.code(fourth)).isEqualTo(FailureCode.EMBEDDING_GIVEN_UP);
        assertThat(pool.snapshot().slots()).noneMatch(slot -> slot.state() == SlotState.DISPATCHED);
    }

    @Test
    void a6aWorkThatExpiredTwiceIsNotRunAgainByWayOfAnotherModel() {
        pool = PoolFixture.withSlots(1).warm(1);
        expireTwice();
        pool.handle(new PoolEvent.ReplaceModel("n", "f-n"));
        long waiting = pool.query("poison");
        assertThat(pool.isSettled(waiting)).isFalse();

        pool.handle(new PoolEvent.ReplaceModel("m", PoolFixture.MODEL.fingerprint()));

        assertThat(pool.code(waiting)).isEqualTo(FailureCode.EMBEDDING_GIVEN_UP);
    }

    @Test
    void a6aWorkWhoseThreadIsLostIsNotQueuedForItByWayOfAnotherModel() {
        pool = PoolFixture.withSlots(1).warm(1);
        pool.query("poison");
        pool.worker(0).start();
        pool.clock.advance(EXECUTION);
        pool.handle(new PoolEvent.ReplaceModel("n", "f-n"));
        long waiting = pool.query("poison");
        assertThat(pool.isSettled(waiting)).isFalse();

        pool.handle(new PoolEvent.ReplaceModel("m", PoolFixture.MODEL.fingerprint()));

        assertThat(pool.code(waiting)).isEqualTo(FailureCode.QUARANTINED);
    }

    private void expireTwice() {
        for (int times = 0; times < 2; times++) {
            pool.query("poison");
            pool.worker(0).start();
            pool.clock.advance(EXECUTION);
            pool.worker(0).acknowledgeTermination(0);
        }
    }

    @Test
    void expiriesStayBoundedWhenSeveralThreadsReturn() {
        PoolLimits defaults = PoolLimits.defaults(3);
        pool = new PoolFixture(new PoolLimits(
                        3,
                        defaults.expectedWorkerBytes(),
                        defaults.queue(),
                        defaults.slice(),
                        defaults.watchdogs(),
                        defaults.retry(),
                        new PoolLimits.Retention(8, Duration.ofMinutes(5), 1, Duration.ofHours(24))))
                .warm(3);
        for (int slot = 0; slot < 3; slot++) {
            pool.query("poison " + slot);
            pool.worker(slot).start();
        }
        pool.clock.advance(EXECUTION);
        assertThat(pool.dispatcher.tombstones()).isEqualTo(3);

        for (int slot = 0; slot < 3; slot++) {
            pool.worker(slot).acknowledgeTermination(0);
        }

        assertThat(pool.dispatcher.tombstones()).isEqualTo(1);
    }

    /** Two documents and a third in one slice of worker 0, which has started it; worker 1 is busy. */
    private long[] sharedSlice() {
        return sharedSlice(EXECUTION.minusSeconds(1));
    }

    /** @param running for how long it has run */
    private long[] sharedSlice(Duration running) {
        pool.warm(2);
        pool.query("plug");
        pool.worker(0).start();
        pool.query("plug2");
        pool.worker(1).start();
        long[] waiters = {pool.document("first"), pool.document("poison"), pool.document("last")};
        pool.worker(0).complete();
        pool.worker(0).start();
        assertThat(pool.worker(0).last().parts()).hasSize(3);
        pool.clock.advance(running);
        pool.worker(1).complete();
        return waiters;
    }

    @Test
    void a6aNeighboursOfExpiredWorkAreRunAgainAloneAndOnlyWhatExpiresAloneIsQuarantined() {
        long[] waiters = sharedSlice();
        pool.clock.advance(Duration.ofSeconds(1));
        assertThat(pool.outcomes.keySet()).doesNotContain(waiters[0], waiters[1], waiters[2]);
        pool.worker(0).acknowledgeTermination(1);
        assertThat(pool.result(waiters[0]).vectors()).containsExactly(ScriptedWorker.vector("first"));

        assertThat(texts(0)).containsExactly("poison");
        assertThat(texts(1)).containsExactly("last");
        pool.worker(0).start();
        pool.worker(1).run();
        assertThat(pool.result(waiters[2]).vectors()).containsExactly(ScriptedWorker.vector("last"));
        pool.clock.advance(EXECUTION);
        assertThat(pool.code(waiters[1])).as("it never gets a third run").isEqualTo(FailureCode.EMBEDDING_GIVEN_UP);
        pool.worker(0).acknowledgeTermination(0);
        assertThat(pool.code(pool.document("poison"))).isEqualTo(FailureCode.EMBEDDING_GIVEN_UP);
        pool.document("other");
        pool.document("last");
        assertThat(texts(0)).as("cleared by its run alone").containsExactly("other");
    }

    @Test
    void a6aNeighboursOfExpiredWorkWaitForAThreadThatDoesNotReturnAndAreThenToldTheTruth() {
        long[] waiters = sharedSlice();
        pool.clock.advance(Duration.ofSeconds(1));
        pool.cancel(waiters[0]);
        pool.clock.advance(GRACE);
        assertThat(pool.state(0)).isEqualTo(SlotState.RETIRING);
        assertThat(pool.snapshot().documents().depth()).isEqualTo(2);
        assertThat(pool.worker(1).dispatches).as("not beside the thread").hasSize(1);
        assertThat(pool.isSettled(waiters[2])).isFalse();

        pool.clock.advance(GRACE);
        assertThat(pool.state(0)).isEqualTo(SlotState.STUCK);
        assertThat(pool.code(waiters[2])).isEqualTo(FailureCode.QUARANTINED);
        assertThat(pool.failure(waiters[2]).detail()).contains("a worker that took this input has not returned");
        assertThat(pool.code(pool.document("last"))).isEqualTo(FailureCode.QUARANTINED);

        pool.worker(0).exit();
        long again = pool.document("last");
        pool.document("first");
        assertThat(texts(1)).containsExactly("last");
        pool.worker(1).run();
        assertThat(pool.isSettled(again)).isTrue();
    }

    @Test
    void a6aNeighboursOfExpiredWorkRunAloneOnceTheirWorkerIsGone() {
        long[] waiters = sharedSlice();
        pool.clock.advance(Duration.ofSeconds(1));
        pool.clock.advance(GRACE);
        pool.worker(0).exit();

        assertThat(texts(1)).as("in the order they had").containsExactly("first");
        pool.worker(1).run();
        assertThat(texts(1)).containsExactly("poison");
        pool.worker(1).run();
        pool.worker(1).run();
        for (long waiter : waiters) {
            assertThat(pool.outcomes.get(waiter)).isInstanceOf(WaiterOutcome.Success.class);
        }
    }

    @Test
    void atTheDrainBoundARunThatDoesNotEndFailsNobodyWhoSharedItsSlice() {
        long[] waiters = sharedSlice(Duration.ZERO);
        pool.handle(new PoolEvent.RestartSlot(0));
        pool.clock.advance(DRAIN);
        pool.clock.advance(GRACE);
        assertThat(pool.state(0)).isEqualTo(SlotState.RETIRING);
        assertThat(pool.outcomes.keySet()).doesNotContain(waiters[0], waiters[1], waiters[2]);
        assertThat(pool.worker(1).dispatches).as("not beside the thread").hasSize(1);

        pool.worker(0).exit();
        assertThat(texts(1)).as("alone, since one of them may do it again").containsExactly("first");
        pool.worker(1).run();
        pool.worker(1).run();
        pool.worker(1).run();
        for (long waiter : waiters) {
            assertThat(pool.outcomes.get(waiter)).isInstanceOf(WaiterOutcome.Success.class);
        }
        pool.worker(0).ready();
    }

    @Test
    void a6aWorkThatSharedASliceWithWhatEndedItsWorkerIsRunAgainAlone() {
        long[] waiters = sharedSlice();
        pool.worker(0).exit();

        assertThat(texts(1)).containsExactly("first");
        pool.worker(1).run();
        assertThat(pool.isSettled(waiters[0])).isTrue();
        assertThat(texts(1)).containsExactly("poison");
        pool.worker(1).start();
        pool.worker(1).exit();
        assertThat(pool.code(waiters[1])).isEqualTo(FailureCode.EMBEDDING_GIVEN_UP);
        assertThat(pool.isSettled(waiters[2])).isFalse();
    }

    private List<String> texts(int slot) {
        return pool.worker(slot).last().parts().stream()
                .flatMap(part -> part.rows().stream())
                .map(row -> ((EmbedInput.Text) row).text())
                .toList();
    }

    @Test
    void a7RepeatedStartsJoinersAndQueueAgeDoNotMoveTheExecutionWatchdog() {
        pool = PoolFixture.withSlots(1).warm(1);
        long a = pool.query("a");
        pool.worker(0).start();
        long b = pool.query("b");
        pool.clock.advance(EXECUTION.minusSeconds(1));
        pool.worker(0).start();
        long joiner = pool.query("a");
        assertThat(pool.dropped("started")).isEqualTo(1);
        pool.clock.advance(Duration.ofSeconds(1));

        assertThat(pool.code(a)).isEqualTo(FailureCode.QUARANTINED);
        assertThat(pool.code(joiner)).isEqualTo(FailureCode.QUARANTINED);
        pool.worker(0).acknowledgeTermination(0);
        pool.worker(0).start();
        pool.clock.advance(EXECUTION.minusNanos(1));
        assertThat(pool.isSettled(b))
                .as("five minutes in the queue were no service")
                .isFalse();
        pool.worker(0).complete();
        assertThat(pool.isSettled(b)).isTrue();
    }
}
