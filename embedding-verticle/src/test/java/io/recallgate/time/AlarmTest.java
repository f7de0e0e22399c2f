package io.recallgate.time;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class AlarmTest {

    private final FakeClock clock = new FakeClock();
    private final Alarm alarm = new Alarm(clock, clock);
    private final List<Long> rung = new ArrayList<>();

    @AfterEach
    void noTimerIsLeft() {
        assertThat(clock.pending()).isZero();
    }

    @Test
    void itRingsAtItsInstantAndOnce() {
        set(10);
        clock.advanceMillis(9);
        assertThat(rung).isEmpty();
        clock.advanceMillis(1);
        assertThat(rung).hasSize(1);
        clock.advanceMillis(100);
        assertThat(rung).hasSize(1);
    }

    @Test
    void theSameInstantAgainArmsNothingAndAnotherOneTakesItsPlace() {
        OptionalLong at = in(10);
        alarm.set(at, rung::add);
        alarm.set(at, rung::add);
        assertThat(clock.pending()).isOne();
        set(5);
        assertThat(clock.pending()).isOne();
        clock.advanceMillis(5);
        assertThat(rung).hasSize(1);
    }

    @Test
    void neverEndsWhatWasArmed() {
        set(10);
        alarm.set(OptionalLong.empty(), rung::add);
        clock.advanceMillis(20);
        assertThat(rung).isEmpty();
    }

    @Test
    void afterARingTheVeryInstantMayBeArmedAgain() {
        OptionalLong at = in(10);
        alarm.set(at, rung::add);
        clock.advanceMillis(10);
        alarm.rang(rung.get(0));
        alarm.set(at, rung::add);
        assertThat(clock.pending()).isOne();
        clock.advanceMillis(1);
        assertThat(rung).hasSize(2);
    }

    @Test
    void oneThatRingsLateDoesNotTakeTheNextOnesPlace() {
        set(10);
        clock.advanceMillis(10);
        OptionalLong next = in(10);
        alarm.set(next, rung::add);
        alarm.rang(rung.get(0));
        alarm.set(next, rung::add);
        assertThat(clock.pending()).isOne();
        clock.advanceMillis(10);
    }

    private void set(long millis) {
        alarm.set(in(millis), rung::add);
    }

    private OptionalLong in(long millis) {
        return OptionalLong.of(clock.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis));
    }
}
