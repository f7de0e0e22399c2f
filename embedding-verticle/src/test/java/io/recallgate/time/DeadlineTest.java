package io.recallgate.time;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class DeadlineTest {

    private final FakeClock clock = new FakeClock();

    @Test
    void isPassedAtItsInstantAndNotOneNanosecondBefore() {
        Deadline deadline = Deadline.afterMillis(clock, 5);
        clock.advance(Duration.ofNanos(4_999_999));
        assertThat(deadline.isPassed()).isFalse();
        clock.advance(Duration.ofNanos(1));
        assertThat(deadline.isPassed()).isTrue();
    }

    @Test
    void survivesTheWrapAroundOfTheClock() {
        Deadline deadline = Deadline.after(clock, Duration.ofSeconds(3));
        clock.advance(Duration.ofSeconds(2));
        assertThat(clock.nanoTime()).isNegative();
        assertThat(deadline.isPassed()).isFalse();
        assertThat(deadline.remainingMillis()).isEqualTo(1000);
    }

    @Test
    void neverBecomesLonger() {
        Deadline deadline = Deadline.afterMillis(clock, 100);
        assertThat(deadline.minAfterMillis(5_000).remainingMillis()).isEqualTo(100);
        assertThat(deadline.minAfterMillis(10).remainingMillis()).isEqualTo(10);
        assertThatThrownBy(() -> deadline.minusNanos(-1)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void hugeSpansDoNotOverflow() {
        Deadline deadline = Deadline.after(clock, Duration.ofDays(1_000_000));
        assertThat(deadline.isPassed()).isFalse();
        assertThat(Deadline.afterNanos(clock, Long.MIN_VALUE).isPassed()).isTrue();
    }

    @Test
    void deadlinesOfDifferentClocksAreNotCompared() {
        Deadline other = Deadline.afterMillis(new FakeClock(), 1);
        assertThatThrownBy(() -> Deadline.afterMillis(clock, 1).min(other))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
