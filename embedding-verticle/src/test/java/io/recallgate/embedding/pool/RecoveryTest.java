package io.recallgate.embedding.pool;

import static org.assertj.core.api.Assertions.assertThat;

import io.recallgate.embedding.protocol.StartFailure;
import io.recallgate.failure.FailureCode;
import java.time.Duration;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Cases A16 to A18: failed starts are paid for, waited out and tried again, never latched. */
class RecoveryTest {

    private PoolFixture pool = PoolFixture.withSlots(1);

    @AfterEach
    void nothingRemains() {
        pool.endsClean();
    }

    @Test
    void a16WorkWaitsOutTheCoolDownsAndFailsWhenTheDebtIsExhausted() {
        long a = pool.query("a");
        pool.worker(0).failStart(StartFailure.RETRYABLE);
        assertThat(pool.state(0)).isEqualTo(SlotState.COOLING);
        pool.clock.advance(Duration.ofSeconds(2).minusNanos(1));
        assertThat(pool.state(0)).isEqualTo(SlotState.COOLING);
        pool.clock.advance(Duration.ofNanos(1));
        assertThat(pool.state(0)).isEqualTo(SlotState.STARTING);

        pool.worker(0).failStart(StartFailure.RETRYABLE);
        pool.clock.advance(Duration.ofSeconds(8).minusNanos(1));
        assertThat(pool.state(0)).isEqualTo(SlotState.COOLING);
        assertThat(pool.isSettled(a)).as("a cool-down is waited out").isFalse();
        pool.clock.advance(Duration.ofNanos(1));
        pool.worker(0).failStart(StartFailure.RETRYABLE);

        assertThat(pool.code(a)).isEqualTo(FailureCode.EMBEDDING_UNAVAILABLE);
        assertThat(pool.failure(a).retryAfter()).isEqualTo(Duration.ofMinutes(15));
        assertThat(pool.counter("starts")).isEqualTo(3);
        long b = pool.query("b");
        assertThat(pool.code(b)).isEqualTo(FailureCode.EMBEDDING_UNAVAILABLE);
        assertThat(pool.counter("starts")).isEqualTo(3);
    }

    @Test
    void a16AnExhaustedPoolHealsItselfWithSingleTriesFarApart() {
        pool.handle(new PoolEvent.WarmUp(1));
        pool.worker(0).failStart(StartFailure.RETRYABLE);
        pool.clock.advance(Duration.ofSeconds(2));
        pool.worker(0).failStart(StartFailure.RETRYABLE);
        pool.clock.advance(Duration.ofSeconds(8));
        pool.worker(0).failStart(StartFailure.RETRYABLE);
        pool.clock.advance(Duration.ofMinutes(15));
        pool.worker(0).failStart(StartFailure.RETRYABLE);
        assertThat(pool.counter("starts")).isEqualTo(4);
        pool.clock.advance(Duration.ofMinutes(15).minusNanos(1));
        assertThat(pool.counter("starts")).isEqualTo(4);
        pool.clock.advance(Duration.ofNanos(1));
        pool.worker(0).ready();

        assertThat(pool.slot(0).debt()).isZero();
        long a = pool.query("a");
        pool.worker(0).run();
        assertThat(pool.isSettled(a)).isTrue();
    }

    @Test
    void a16AnOperatorsRestartDoesNotWaitForTheCoolDownOfAnotherSlot() {
        pool = PoolFixture.withSlots(2);
        pool.handle(new PoolEvent.WarmUp(2));
        pool.worker(0).failStart(StartFailure.TERMINAL);
        assertThat(pool.state(0)).isEqualTo(SlotState.COOLING);

        pool.handle(new PoolEvent.RestartSlot(1));

        assertThat(pool.state(1)).isEqualTo(SlotState.STARTING);
        long a = pool.query("a");
        pool.worker(1).ready();
        pool.worker(1).run();
        assertThat(pool.isSettled(a))
                .as("not refused for what the other slot owes")
                .isTrue();
        assertThat(pool.result(a).model()).isEqualTo(PoolFixture.MODEL);
    }

    @Test
    void a16ARestartBeforeAModelIsProvenStillStartsOneSlotAtATime() {
        pool = PoolFixture.withSlots(3);
        pool.handle(new PoolEvent.WarmUp(3));
        pool.handle(new PoolEvent.RestartSlot(1));
        pool.handle(new PoolEvent.RestartSlot(2));
        assertThat(pool.state(1)).isEqualTo(SlotState.EMPTY);

        pool.worker(0).failStart(StartFailure.RETRYABLE);
        assertThat(pool.state(1)).isEqualTo(SlotState.STARTING);
        assertThat(pool.state(2)).isEqualTo(SlotState.EMPTY);
        pool.worker(1).failStart(StartFailure.RETRYABLE);
        assertThat(pool.state(2)).isEqualTo(SlotState.STARTING);
        pool.worker(2).failStart(StartFailure.RETRYABLE);
        assertThat(pool.counter("starts"))
                .as("what an operator asked for is tried once")
                .isEqualTo(3);
    }

    @Test
    void a16ATerminalCauseFailsWaitingWorkAtOnceAndStillHeals() {
        long a = pool.query("a");
        pool.worker(0).failStart(StartFailure.TERMINAL);
        assertThat(pool.code(a)).isEqualTo(FailureCode.MODEL_UNUSABLE);
        assertThat(pool.dispatcher.armedTimers()).isZero();
        assertThat(pool.code(pool.query("b"))).isEqualTo(FailureCode.MODEL_UNUSABLE);

        pool.clock.advance(Duration.ofMinutes(15));
        long c = pool.query("c");
        assertThat(pool.state(0)).isEqualTo(SlotState.STARTING);
        pool.worker(0).ready();
        pool.worker(0).run();
        assertThat(pool.isSettled(c)).isTrue();
    }

    @Test
    void a16ASiblingsSuccessDoesNotForgiveAnotherSlotsDebt() {
        pool = PoolFixture.withSlots(2);
        pool.handle(new PoolEvent.WarmUp(2));
        pool.worker(0).ready();
        pool.worker(1).failStart(StartFailure.RETRYABLE);
        assertThat(pool.slot(1).debt()).isEqualTo(1);
        pool.query("a");
        pool.worker(0).run();
        assertThat(pool.slot(1).debt()).isEqualTo(1);
        assertThat(pool.slot(1).retryNanos()).isPositive();

        pool.clock.advance(Duration.ofSeconds(2));
        ScriptedWorker second = pool.worker(1);
        second.failStart(StartFailure.RETRYABLE);
        second.ready();
        assertThat(pool.slot(1).debt()).as("an older generation proves nothing").isEqualTo(2);
        assertThat(pool.dropped("ready")).isEqualTo(1);
    }

    @Test
    void a16AWorkerThatEndsUnaskedIsReplacedAfterAWait() {
        pool.warm(1);
        pool.worker(0).exit();
        assertThat(pool.state(0)).isEqualTo(SlotState.COOLING);
        assertThat(pool.slot(0).chargedBytes()).isZero();
        long a = pool.query("a");
        pool.clock.advance(Duration.ofSeconds(2));
        pool.worker(0).ready();
        pool.worker(0).run();
        assertThat(pool.isSettled(a)).isTrue();
    }

    @Test
    void aWorkerThatEndsBeforeItStartedItsWorkLosesTheWorkOnlyTheSecondTime() {
        pool = PoolFixture.withSlots(3).warm(3);
        long a = pool.query("a");
        pool.worker(0).exit();
        assertThat(pool.isSettled(a)).isFalse();
        pool.worker(1).exit();
        assertThat(pool.code(a)).isEqualTo(FailureCode.EMBEDDING_UNAVAILABLE);
        assertThat(pool.worker(2).dispatches).isEmpty();
    }

    @Test
    void a17TheCoolDownTimerGoesWithItsLastWaiter() {
        long a = pool.query("a");
        long b = pool.query("b");
        pool.worker(0).failStart(StartFailure.RETRYABLE);
        pool.cancel(a);
        assertThat(pool.dispatcher.armedTimers())
                .as("deadline of b and the cool-down")
                .isEqualTo(2);
        pool.cancel(b);
        assertThat(pool.dispatcher.armedTimers()).isZero();
        pool.clock.advance(Duration.ofMinutes(1));
        assertThat(pool.counter("starts")).as("nobody wants a worker").isEqualTo(1);
    }

    @Test
    void a17TheCoolDownTimerGoesWithTheShutdown() {
        pool.handle(new PoolEvent.WarmUp(1));
        pool.worker(0).failStart(StartFailure.RETRYABLE);
        assertThat(pool.dispatcher.armedTimers()).isEqualTo(1);
        pool.handle(new PoolEvent.Shutdown());
        assertThat(pool.dispatcher.armedTimers()).isZero();
        assertThat(pool.reports).hasSize(1);
    }

    @Test
    void a18TheFirstStartOfAModelIsAloneAndTheOthersFollowItsSuccess() {
        pool = PoolFixture.withSlots(3);
        pool.handle(new PoolEvent.WarmUp(3));
        pool.query("a");
        pool.query("b");
        assertThat(pool.workersMade()).isEqualTo(1);
        pool.worker(0).ready();
        assertThat(pool.workersMade()).isEqualTo(3);
        assertThat(Objects.requireNonNull(pool.snapshot().identity())).isEqualTo(PoolFixture.MODEL);
        pool.worker(0).run();
        pool.worker(1).ready();
        pool.worker(0).run();
        pool.worker(2).ready();
    }
}
