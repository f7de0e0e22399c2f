package io.recallgate.embedding.pool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.recallgate.embedding.api.EmbedInput;
import io.recallgate.embedding.api.InputType;
import io.recallgate.embedding.api.Priority;
import io.recallgate.failure.FailureCode;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** A defect of the pool itself costs the one operation it happens to. */
class DefectTest {

    @Test
    void inProductionAnIllegalEdgeFailsTheOneOperationAndIsCounted() {
        PoolFixture pool = new PoolFixture(PoolLimits.defaults(2), false).warm(2);
        long broken = pool.query("broken");
        long sound = pool.query("sound");
        pool.worker(0).start();
        pool.worker(1).start();
        Objects.requireNonNull(pool.inside.operations.ofWaiter(broken)).state = OperationState.QUEUED;

        pool.worker(0).complete();
        pool.worker(1).complete();

        assertThat(pool.code(broken)).isEqualTo(FailureCode.INTERNAL);
        assertThat(pool.isSettled(sound)).isTrue();
        assertThat(pool.counter("illegal_edges")).isEqualTo(1);
        assertThat(pool.snapshot().operations()).isZero();
        // The slot missed the end of its slice; its watchdog brings it back.
        pool.clock.advance(Duration.ofMinutes(5).plusSeconds(1));
        pool.worker(0).exit();
        long again = pool.query("broken");
        pool.worker(1).run();
        assertThat(pool.isSettled(again)).isTrue();
    }

    @Test
    void inProductionASlotThatLostItsSliceIsReplacedAndCounted() {
        PoolFixture pool = new PoolFixture(PoolLimits.defaults(2), false).warm(2);
        long broken = pool.query("broken");
        pool.worker(0).start();
        pool.inside.slots.all().get(0).slice = null;

        long sound = pool.query("sound");
        pool.worker(1).run();

        assertThat(pool.isSettled(sound)).isTrue();
        assertThat(pool.counter("defects")).isEqualTo(1);
        assertThat(pool.state(0)).isEqualTo(SlotState.RETIRING);
        assertThat(pool.code(broken)).isEqualTo(FailureCode.INTERNAL);
        assertThat(pool.snapshot().operations()).isZero();
        assertThat(pool.code(pool.query("broken"))).isEqualTo(FailureCode.QUARANTINED);
        pool.worker(0).exit();
        long again = pool.query("broken");
        pool.worker(1).run();
        assertThat(pool.isSettled(again)).isTrue();
        assertThat(pool.counter("defects")).isEqualTo(1);
    }

    @Test
    void inProductionAnIdleSlotWithASliceFailsThatWorkAndHoldsItsKeyUntilTheWorkerIsGone() {
        PoolFixture pool = new PoolFixture(PoolLimits.defaults(2), false).warm(2);
        long broken = pool.query("broken");
        pool.worker(0).start();
        pool.inside.slots.all().get(0).state = SlotState.IDLE;

        pool.handle(new PoolEvent.WarmUp(2));

        assertThat(pool.code(broken)).isEqualTo(FailureCode.INTERNAL);
        assertThat(pool.counter("defects")).isEqualTo(1);
        assertThat(pool.code(pool.query("broken"))).isEqualTo(FailureCode.QUARANTINED);
        pool.worker(0).exit();
        long again = pool.query("broken");
        pool.worker(1).run();
        assertThat(pool.isSettled(again)).isTrue();
        assertThat(pool.snapshot().operations()).isZero();
    }

    @Test
    void inProductionAnEmptySlotThatIsStillChargedIsFreed() {
        PoolFixture pool = new PoolFixture(PoolLimits.defaults(2), false);
        pool.inside.slots.all().get(1).chargedBytes = 1L << 20;

        pool.handle(new PoolEvent.WarmUp(0));

        assertThat(pool.counter("defects")).isEqualTo(1);
        assertThat(pool.snapshot().gate().chargedBytes()).isZero();
    }

    @Test
    void inProductionBytesNeverGoBelowZero() {
        PoolFixture pool = new PoolFixture(PoolLimits.defaults(1), false).warm(1);
        long broken = pool.query("broken");
        pool.worker(0).start();
        Operation operation = Objects.requireNonNull(pool.inside.operations.ofWaiter(broken));
        pool.inside.operations.abandon(operation);
        operation.state = OperationState.RUNNING;

        pool.worker(0).complete();

        assertThat(pool.code(broken)).isEqualTo(FailureCode.INTERNAL);
        assertThat(pool.counter("defects")).isEqualTo(1);
        assertThat(pool.snapshot().operations()).isZero();
        assertThat(pool.snapshot().operationBytes()).isZero();
    }

    @Test
    void inProductionAWaiterThatItsOperationDoesNotKnowIsAnsweredOnceAndCounted() {
        PoolFixture pool = new PoolFixture(PoolLimits.defaults(1), false).warm(1);
        long lost = pool.query("lost");
        Objects.requireNonNull(pool.inside.operations.ofWaiter(lost)).waiters.clear();

        pool.cancel(lost);
        pool.cancel(lost);

        assertThat(pool.code(lost)).isEqualTo(FailureCode.CANCELLED);
        assertThat(pool.counter("defects")).isEqualTo(1);
    }

    @Test
    void inProductionANumberThatWaitsAlreadyIsNotAdmittedTwice() {
        PoolFixture pool = new PoolFixture(PoolLimits.defaults(1), false).warm(1);
        long waiter = pool.query("first");
        pool.handle(new PoolEvent.Submit(
                waiter,
                List.of(new EmbedInput.Text("second")),
                null,
                6,
                InputType.QUERY,
                Priority.QUERY,
                pool.clock.nanoTime() + PoolFixture.LONG.toNanos(),
                null));

        assertThat(pool.snapshot().operations()).isEqualTo(1);
        assertThat(pool.counter("defects")).isEqualTo(1);
        pool.worker(0).run();
        assertThat(pool.result(waiter).vectors()).containsExactly(ScriptedWorker.vector("first"));
    }

    @Test
    void inTestsAnIllegalEdgeIsThrown() {
        PoolFixture pool = PoolFixture.withSlots(1).warm(1);
        long broken = pool.query("broken");
        pool.worker(0).start();
        Objects.requireNonNull(pool.inside.operations.ofWaiter(broken)).state = OperationState.QUEUED;
        assertThatThrownBy(() -> pool.worker(0).complete()).isInstanceOf(IllegalEdgeException.class);
    }
}
