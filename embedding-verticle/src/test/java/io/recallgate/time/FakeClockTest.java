package io.recallgate.time;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class FakeClockTest {

    private final FakeClock clock = new FakeClock();
    private final List<String> ran = new ArrayList<>();

    @Test
    void runsTasksAtTheirOwnInstantInOrder() {
        long start = clock.nanoTime();
        clock.schedule(
                Duration.ofMillis(20).toNanos(), () -> ran.add("late " + (clock.nanoTime() - start) / 1_000_000));
        clock.schedule(
                Duration.ofMillis(10).toNanos(), () -> ran.add("early " + (clock.nanoTime() - start) / 1_000_000));
        assertThat(ran).isEmpty();
        clock.advanceMillis(30);
        assertThat(ran).containsExactly("early 10", "late 20");
        assertThat(clock.pending()).isZero();
    }

    @Test
    void aCancelledTaskNeverRuns() {
        Timers.Timer timer = clock.schedule(1, () -> ran.add("never"));
        assertThat(timer.cancel()).isTrue();
        assertThat(timer.cancel()).isFalse();
        clock.advanceMillis(1);
        assertThat(ran).isEmpty();
    }

    @Test
    void aTaskMayScheduleAnotherThatIsDueInTheSameStep() {
        clock.schedule(5, () -> clock.schedule(5, () -> ran.add("second")));
        clock.advance(Duration.ofNanos(10));
        assertThat(ran).containsExactly("second");
    }
}
