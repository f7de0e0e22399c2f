package io.recallgate.embedding.pool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.recallgate.failure.FailureCode;
import java.time.Duration;
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
    void inTestsAnIllegalEdgeIsThrown() {
        PoolFixture pool = PoolFixture.withSlots(1).warm(1);
        long broken = pool.query("broken");
        pool.worker(0).start();
        Objects.requireNonNull(pool.inside.operations.ofWaiter(broken)).state = OperationState.QUEUED;
        assertThatThrownBy(() -> pool.worker(0).complete()).isInstanceOf(IllegalEdgeException.class);
    }
}
