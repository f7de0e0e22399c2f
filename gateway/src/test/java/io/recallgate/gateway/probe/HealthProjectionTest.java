package io.recallgate.gateway.probe;

import static org.assertj.core.api.Assertions.assertThat;

import io.recallgate.gateway.probe.GateFixture.Script;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Case D11 of the contracts. */
class HealthProjectionTest {

    private final GateFixture probe = new GateFixture();

    @AfterEach
    void noTimerIsLeft() {
        probe.stop();
        probe.advance(Duration.ofHours(2));
        assertThat(probe.clock.pending()).isZero();
    }

    private void expect(HealthState state, String cause, Duration age) {
        assertThat(probe.health()).isEqualTo(new ProbeHealth(state, cause, age.toNanos()));
    }

    @Test
    void d11WithoutAScheduleThereIsNothingToSay() {
        expect(HealthState.PENDING, "not-started", Duration.ZERO);
        probe.options = new ProbeOptions(0, 0.2, 30_000, 30_000, 600_000, 0);
        probe.start();
        probe.advance(Duration.ofDays(1));
        expect(HealthState.DISABLED, "cadence-zero", Duration.ZERO);
        assertThat(HealthProjection.of(probe.view(), probe.key, "no-embedding-provider", probe.clock.nanoTime()))
                .isEqualTo(new ProbeHealth(HealthState.DISABLED, "no-embedding-provider", 0));
    }

    @Test
    void d11TheFirstFlightIsPendingWithinItsBudgetAndStuckBeyond() {
        probe.next = Script::never;
        probe.start();
        expect(HealthState.PENDING, "no-result-yet", Duration.ZERO);

        probe.advance(Duration.ofSeconds(31));
        expect(HealthState.PENDING, "in-flight", Duration.ofSeconds(31));
        probe.advance(Duration.ofMillis(1));
        expect(HealthState.STUCK, "budget-exceeded", Duration.ofMillis(31_001));
        probe.advance(Duration.ofDays(1));
        assertThat(probe.health().state()).isEqualTo(HealthState.STUCK);

        probe.settle(ProbeOutcome.healthy(null));
        expect(HealthState.HEALTHY, "attempt-succeeded", Duration.ZERO);
    }

    @Test
    void d11ASlowProbeThatRunsIsNotStale() {
        probe.options = new ProbeOptions(60_000, 0.2, 900_000, 30_000, 600_000, 0);
        probe.start();
        probe.advance(Duration.ofSeconds(1));
        probe.next = Script::never;
        probe.advance(Duration.ofSeconds(59));
        expect(HealthState.HEALTHY, "attempt-succeeded", Duration.ofMillis(59_900));

        // Three periods after the result, the attempt on its way is what there is to tell.
        probe.advance(Duration.ofSeconds(121));
        expect(HealthState.SLOW, "in-flight", Duration.ofSeconds(121));
        probe.advance(Duration.ofMinutes(13));
        expect(HealthState.SLOW, "in-flight", Duration.ofSeconds(901));
        probe.advance(Duration.ofMillis(1));
        assertThat(probe.health().state()).isEqualTo(HealthState.STUCK);
    }

    @Test
    void d11AnAttemptIsStuckByTheBudgetThatItWasBegunWith() {
        probe.options = new ProbeOptions(60_000, 0.2, 900_000, 30_000, 600_000, 0);
        probe.next = Script::never;
        probe.start();
        probe.advance(Duration.ofSeconds(1));

        probe.options = new ProbeOptions(60_000, 0.2, 30_000, 30_000, 600_000, 0);
        probe.advance(Duration.ofMinutes(10));

        assertThat(probe.health().state()).isEqualTo(HealthState.PENDING);
    }

    @Test
    void d11ADeadScheduleIsStaleWhateverItsLastResult() {
        for (Script last : List.of(Script.healthy(Duration.ofMillis(100)), Script.failed(Duration.ofMillis(100)))) {
            GateFixture one = new GateFixture();
            one.next = () -> last;
            one.start();
            one.advance(Duration.ofSeconds(1));
            HealthState before = one.health().state();
            one.silence();

            one.advance(Duration.ofSeconds(179));
            assertThat(one.health().state()).isEqualTo(before);
            one.advance(Duration.ofMillis(1));
            assertThat(one.health())
                    .isEqualTo(new ProbeHealth(
                            HealthState.STALE,
                            "schedule-silent",
                            Duration.ofMillis(179_901).toNanos()));
            one.stop();
        }
    }

    @Test
    void d11AScheduleThatDiesBeforeItsFirstAttemptIsStaleToo() {
        probe.start();
        probe.silence();
        probe.advance(Duration.ofMinutes(2));
        assertThat(probe.health().state()).isEqualTo(HealthState.PENDING);

        probe.advance(Duration.ofMillis(1));

        expect(HealthState.STALE, "schedule-silent", Duration.ofMillis(120_001));
    }

    @Test
    void d11WaitingForTheFloorOrTheBackOffIsNotStale() {
        probe.options = new ProbeOptions(2_000, 0.2, 300_000, 30_000, 600_000, 0);
        probe.next = () -> Script.healthy(Duration.ofSeconds(200));
        probe.start();
        probe.advance(Duration.ofSeconds(999));
        expect(HealthState.HEALTHY, "attempt-succeeded", Duration.ofSeconds(799));

        probe.next = () -> Script.failed(Duration.ofMillis(1));
        probe.advance(Duration.ofHours(2));
        assertThat(probe.health().state()).isEqualTo(HealthState.FAILED);
        assertThat(probe.view().failures()).isGreaterThan(8);
    }

    @Test
    void d11AFailedResultIsRecoveringWhileTheNextAttemptRuns() {
        probe.next = () -> Script.failed(Duration.ofMillis(100));
        probe.start();
        probe.advance(Duration.ofSeconds(10));
        expect(HealthState.FAILED, "embedding-unavailable", Duration.ofMillis(9_900));

        probe.next = Script::never;
        probe.advance(Duration.ofSeconds(50));
        expect(HealthState.RECOVERING, "embedding-unavailable", Duration.ofMillis(59_900));
        probe.advance(Duration.ofSeconds(32));
        assertThat(probe.health().state()).isEqualTo(HealthState.STUCK);
        probe.settle(ProbeOutcome.healthy(null));
        assertThat(probe.health().state()).isEqualTo(HealthState.HEALTHY);
    }

    @Test
    void d11AResultAboutAnotherModelSaysNothing() {
        probe.start();
        probe.advance(Duration.ofSeconds(1));
        assertThat(probe.health().state()).isEqualTo(HealthState.HEALTHY);

        // Even before a tick has noticed.
        probe.key = GateFixture.OTHER;
        assertThat(probe.health().state()).isEqualTo(HealthState.PENDING);
    }

    @Test
    void d11WarningsDegradeNothing() {
        probe.options = new ProbeOptions(60_000, 1, 300_000, 30_000, 600_000, 0);
        probe.next = () -> Script.healthy(Duration.ofSeconds(100));
        probe.start();
        List<ProbeHealth> seen = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            probe.advance(Duration.ofSeconds(17));
            seen.add(probe.health());
        }

        assertThat(probe.view().warnings())
                .containsExactlyInAnyOrder(
                        ProbeWarning.PACING_OFF,
                        ProbeWarning.BUDGET_ABOVE_CADENCE,
                        ProbeWarning.TICKS_SKIPPED,
                        ProbeWarning.COST_ABOVE_CADENCE);
        assertThat(seen).noneMatch(health -> health.state().degrades());
    }

    @Test
    void onlyFourStatesDegrade() {
        assertThat(EnumSet.allOf(HealthState.class).stream().filter(HealthState::degrades))
                .containsExactlyInAnyOrder(
                        HealthState.STUCK, HealthState.STALE, HealthState.FAILED, HealthState.RECOVERING);
        assertThat(HealthState.SLOW.wireName()).isEqualTo("slow-but-running");
    }
}
