package io.recallgate.recall.database;

import static org.assertj.core.api.Assertions.assertThat;

import io.recallgate.time.FakeClock;
import org.junit.jupiter.api.Test;

class AbandonedConnectionsTest {

    private final FakeClock clock = new FakeClock();
    private final AbandonedConnections abandoned = new AbandonedConnections(clock, 5);

    @Test
    void eachCountsUntilTheServerHasLetGoOfItAndNoMoreThanTheBoundAreHeld() {
        assertThat(abandoned.add(3)).isTrue();
        clock.advanceMillis(1_000);
        assertThat(abandoned.add(3)).isFalse();
        assertThat(abandoned.add(2)).isTrue();
        assertThat(abandoned.count()).isEqualTo(5);

        clock.advanceMillis(AbandonedConnections.HELD_MILLIS - 1_000);
        assertThat(abandoned.count()).isEqualTo(2);
        clock.advanceMillis(1_000);
        assertThat(abandoned.count()).isZero();
        assertThat(clock.pending()).isZero();
    }

    @Test
    void noneIsNothing() {
        assertThat(abandoned.add(5)).isTrue();
        assertThat(abandoned.add(0)).isTrue();
        abandoned.close();
        assertThat(clock.pending()).isZero();
    }
}
