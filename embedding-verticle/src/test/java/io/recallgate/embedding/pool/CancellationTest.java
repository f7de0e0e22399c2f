package io.recallgate.embedding.pool;

import static org.assertj.core.api.Assertions.assertThat;

import io.recallgate.embedding.api.EmbeddingVector;
import io.recallgate.embedding.api.InputType;
import io.recallgate.embedding.api.Priority;
import io.recallgate.embedding.protocol.FromWorker;
import io.recallgate.failure.FailureCode;
import io.recallgate.time.CancelCause;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Cases A1 to A4, A8 and A10 to A13: what a caller's leaving does, and what it never does. */
class CancellationTest {

    private PoolFixture pool = PoolFixture.withSlots(1);

    @AfterEach
    void nothingRemains() {
        pool.endsClean();
    }

    @Test
    void a1WorkCancelledInTheQueueNeverReachesAWorkerAndHarmsNone() {
        pool.warm(1);
        ScriptedWorker worker = pool.worker(0);
        long a = pool.query("a");
        worker.start();
        long b = pool.query("b");
        pool.cancel(b);
        assertThat(pool.code(b)).isEqualTo(FailureCode.CANCELLED);

        worker.complete();

        assertThat(pool.result(a).vectors()).containsExactly(ScriptedWorker.vector("a"));
        assertThat(worker.dispatches).hasSize(1);
        assertThat(worker.cancels).isEmpty();
        long c = pool.query("c");
        worker.run();
        assertThat(pool.isSettled(c)).isTrue();
        assertThat(pool.workersMade()).isEqualTo(1);
        assertThat(pool.slot(0).generation()).isEqualTo(1);
    }

    @Test
    void a2OfTwoWhoWaitForOneInitialisationOneMayLeave() {
        long a = pool.query("same");
        long b = pool.query("same");
        long other = pool.query("other");
        pool.cancel(a);
        assertThat(pool.code(a)).isEqualTo(FailureCode.CANCELLED);
        assertThat(pool.isSettled(b)).isFalse();

        pool.worker(0).ready();
        pool.worker(0).run();
        pool.worker(0).run();

        assertThat(pool.result(b).vectors()).containsExactly(ScriptedWorker.vector("same"));
        assertThat(pool.isSettled(other)).isTrue();
        assertThat(pool.counter("starts")).isEqualTo(1);
    }

    @Test
    void a3InputAlreadyCancelledOrTooLateStartsNothing() {
        long cancelled =
                pool.submit(InputType.QUERY, Priority.QUERY, PoolFixture.LONG, CancelCause.DISCONNECTED, List.of("a"));
        long late = pool.submit(InputType.QUERY, Priority.QUERY, Duration.ZERO, "b");

        assertThat(pool.code(cancelled)).isEqualTo(FailureCode.CANCELLED);
        assertThat(pool.code(late)).isEqualTo(FailureCode.DEADLINE_EXCEEDED);
        assertThat(pool.workersMade()).isZero();
        assertThat(pool.snapshot().operations()).isZero();
        assertThat(pool.dispatcher.armedTimers()).isZero();
    }

    @Test
    void a4ACallerSettlesAtOnceWhileItsWorkKeepsTheWorker() {
        pool.warm(1);
        ScriptedWorker worker = pool.worker(0);
        long a = pool.query("a");
        worker.start();
        pool.cancel(a);

        assertThat(pool.code(a)).isEqualTo(FailureCode.CANCELLED);
        assertThat(pool.state(0)).isEqualTo(SlotState.RUNNING);
        assertThat(pool.slot(0).operations()).hasSize(1);
        assertThat(pool.snapshot().operations()).isEqualTo(1);
        long b = pool.query("b");
        assertThat(worker.dispatches)
                .as("the worker is charged until it acknowledges")
                .hasSize(1);

        FromWorker.Terminated acknowledgement = worker.termination(worker.last(), 0);
        pool.say(acknowledgement);
        pool.say(acknowledgement);

        assertThat(worker.dispatches).hasSize(2);
        assertThat(pool.snapshot().operations()).isEqualTo(1);
        worker.run();
        assertThat(pool.isSettled(b)).isTrue();
        assertThat(pool.dropped("terminated")).isEqualTo(1);
    }

    @Test
    void a4ADispatchIsTakenBackIfItHasNotStartedAndRunsOnIfItHas() {
        pool.warm(1);
        ScriptedWorker worker = pool.worker(0);
        long a = pool.query("a");
        pool.cancel(a);
        assertThat(worker.cancels).hasSize(1);
        assertThat(pool.state(0)).isEqualTo(SlotState.DISPATCHED);
        worker.acknowledgeCancel();
        assertThat(pool.state(0)).isEqualTo(SlotState.IDLE);

        long b = pool.query("b");
        pool.cancel(b);
        worker.start();
        assertThat(pool.state(0)).isEqualTo(SlotState.RUNNING);
        worker.complete();
        assertThat(pool.state(0)).isEqualTo(SlotState.IDLE);
        assertThat(pool.snapshot().retained()).isEqualTo(1);
    }

    @Test
    void a4ACallerWhoComesBackBeforeTheCancellationIsAcknowledgedIsServed() {
        pool.warm(1);
        ScriptedWorker worker = pool.worker(0);
        long a = pool.query("a");
        pool.cancel(a);
        long again = pool.query("a");
        worker.acknowledgeCancel();
        worker.run();
        assertThat(pool.result(again).vectors()).containsExactly(ScriptedWorker.vector("a"));
        assertThat(worker.dispatches).hasSize(2);
    }

    @Test
    void a8AThousandCancelsChangeNoGenerationAndCostNoDebt() {
        pool = PoolFixture.withSlots(2).warm(2);
        Random random = new Random(42);
        for (int i = 0; i < 1_000; i++) {
            long waiter = pool.query("text " + i);
            ScriptedWorker worker = pool.worker(random.nextInt(2));
            boolean sent = pool.state(worker.slot) == SlotState.DISPATCHED;
            if (sent && random.nextBoolean()) {
                worker.start();
            }
            pool.cancel(waiter);
            for (int slot = 0; slot < 2; slot++) {
                ScriptedWorker each = pool.worker(slot);
                if (pool.state(slot) == SlotState.DISPATCHED) {
                    each.acknowledgeCancel();
                } else if (pool.state(slot) == SlotState.RUNNING && random.nextBoolean()) {
                    if (each.terminates.isEmpty()) {
                        each.complete();
                    } else {
                        each.acknowledgeTermination(0);
                    }
                }
            }
            assertThat(pool.code(waiter)).isEqualTo(FailureCode.CANCELLED);
        }
        assertThat(pool.workersMade()).isEqualTo(2);
        assertThat(pool.slot(0).generation()).isEqualTo(1);
        assertThat(pool.slot(1).generation()).isEqualTo(1);
        assertThat(pool.slot(0).debt() + pool.slot(1).debt()).isZero();
    }

    @Test
    void a24AnUnansweredTerminationReplacesNoWorkerAndTheNextUnwantedRunIsEndedInstead() {
        pool = PoolFixture.withSlots(2).warm(2);
        List<Long> unwanted = List.of(pool.query("deaf"), pool.query("obedient"));
        pool.worker(0).start();
        pool.worker(1).start();
        unwanted.forEach(pool::cancel);
        long waiting = pool.query("waiting");
        assertThat(pool.worker(0).terminates).hasSize(1);
        assertThat(pool.worker(1).terminates).as("one free worker is enough").isEmpty();

        pool.clock.advance(Duration.ofSeconds(1));
        assertThat(pool.state(0)).isEqualTo(SlotState.RUNNING);
        assertThat(pool.worker(1).terminates).hasSize(1);
        pool.worker(1).acknowledgeTermination(0);
        pool.worker(1).run();

        assertThat(pool.isSettled(waiting)).isTrue();
        pool.worker(0).acknowledgeTermination(0);
        assertThat(pool.state(0)).isEqualTo(SlotState.IDLE);
        assertThat(pool.workersMade()).isEqualTo(2);
    }

    @Test
    void a24AnUnansweredTerminationIsBoundedByTheExecutionWatchdogAlone() {
        pool = PoolFixture.withSlots(1).warm(1);
        long unwanted = pool.query("deaf");
        pool.worker(0).start();
        pool.cancel(unwanted);
        long patient = pool.query("patient");
        long hasty = pool.submit(InputType.QUERY, Priority.QUERY, Duration.ofSeconds(30), "hasty");

        pool.clock.advance(Duration.ofMinutes(5).minusNanos(1));
        assertThat(pool.state(0)).isEqualTo(SlotState.RUNNING);
        assertThat(pool.worker(0).terminates).hasSize(1);
        assertThat(pool.code(hasty)).isEqualTo(FailureCode.DEADLINE_EXCEEDED);
        assertThat(pool.isSettled(patient)).isFalse();

        pool.clock.advance(Duration.ofNanos(1));
        pool.clock.advance(Duration.ofSeconds(1));
        assertThat(pool.state(0)).as("now it is the work that is at fault").isEqualTo(SlotState.RETIRING);
        pool.worker(0).exit();
        pool.worker(0).ready();
        pool.worker(0).run();
        assertThat(pool.isSettled(patient)).isTrue();
    }

    @Test
    void a10ACancelThatComesRightAfterSubmittingSettlesAndOneForNobodyDoesNothing() {
        long a = pool.query("a");
        pool.cancel(a);
        pool.cancel(a);
        pool.cancel(999);
        assertThat(pool.code(a)).isEqualTo(FailureCode.CANCELLED);
        assertThat(pool.dispatcher.stateOf(a)).isEmpty();
    }

    @Test
    void a11TheSameWorkAgainWhileItStillRunsIsOneInference() {
        pool.warm(1);
        long a = pool.query("a");
        pool.worker(0).start();
        pool.cancel(a);
        long again = pool.query("a");
        assertThat(pool.dispatcher.stateOf(again)).isEqualTo(Optional.of(OperationState.RUNNING));
        pool.worker(0).complete();
        assertThat(pool.result(again).vectors()).containsExactly(ScriptedWorker.vector("a"));
        assertThat(pool.worker(0).dispatches).hasSize(1);
    }

    @Test
    void a12AResultThatLandsWithNobodyWaitingIsKeptForOneUse() {
        pool.warm(1);
        long a = pool.query("a");
        pool.worker(0).start();
        pool.cancel(a);
        pool.worker(0).complete();

        long first = pool.query("a");
        assertThat(pool.result(first).vectors()).containsExactly(ScriptedWorker.vector("a"));
        assertThat(pool.worker(0).dispatches).hasSize(1);
        long second = pool.query("a");
        assertThat(pool.isSettled(second)).isFalse();
        assertThat(pool.worker(0).dispatches).hasSize(2);
        pool.worker(0).run();
    }

    @Test
    void a12EightResultsAreKeptForFiveMinutes() {
        pool.warm(1);
        for (int i = 0; i < 9; i++) {
            long waiter = pool.query("text " + i);
            pool.worker(0).start();
            pool.cancel(waiter);
            pool.worker(0).complete();
        }
        assertThat(pool.snapshot().retained()).isEqualTo(8);
        pool.clock.advance(Duration.ofMinutes(5).minusNanos(1));
        assertThat(pool.snapshot().retained()).isEqualTo(8);
        pool.clock.advance(Duration.ofNanos(1));
        assertThat(pool.snapshot().retained()).isZero();
    }

    @Test
    void a13OneOfTwoCoalescedCallersCancelsAndTheOtherGetsItsOwnVectors() {
        pool.warm(1);
        long a = pool.query("a");
        long b = pool.query("a");
        long c = pool.query("a");
        pool.worker(0).start();
        pool.cancel(a);
        pool.worker(0).complete();

        EmbeddingVector forB = pool.result(b).vectors().get(0);
        forB.toArray()[0] = 42;
        assertThat(pool.result(c).vectors().get(0)).isEqualTo(ScriptedWorker.vector("a"));
        assertThat(pool.worker(0).dispatches).hasSize(1);
    }

    @Test
    void aWaiterSettlesAtItsOwnDeadlineAndNotBefore() {
        pool.warm(1);
        long shortOne = pool.submit(InputType.QUERY, Priority.QUERY, Duration.ofMillis(100), "a");
        long longOne = pool.submit(InputType.QUERY, Priority.QUERY, Duration.ofMillis(200), "a");
        pool.worker(0).start();
        pool.clock.advance(Duration.ofMillis(100).minusNanos(1));
        assertThat(pool.isSettled(shortOne)).isFalse();
        pool.clock.advance(Duration.ofNanos(1));
        assertThat(pool.code(shortOne)).isEqualTo(FailureCode.DEADLINE_EXCEEDED);
        assertThat(pool.isSettled(longOne)).isFalse();
        pool.worker(0).complete();
        assertThat(pool.isSettled(longOne)).isTrue();
    }
}
