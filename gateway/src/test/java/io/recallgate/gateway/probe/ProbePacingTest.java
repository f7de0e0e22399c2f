package io.recallgate.gateway.probe;

import static org.assertj.core.api.Assertions.assertThat;

import io.recallgate.gateway.probe.GateFixture.Script;
import io.recallgate.gateway.probe.ProbeOutcome.Verdict;
import io.recallgate.time.FakeClock;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Cases D1 to D8 of the contracts: when the next attempt runs, and what it costs. */
class ProbePacingTest {

    private final GateFixture probe = new GateFixture();

    @AfterEach
    void noTimerIsLeft() {
        probe.stop();
        // What was scripted to settle later settles.
        probe.advance(Duration.ofHours(2));
        assertThat(probe.clock.pending()).isZero();
    }

    private void patient() {
        probe.options = with(60_000, 0.2, 300_000);
    }

    private static ProbeOptions with(long cadenceMillis, double duty, long budgetMillis) {
        return new ProbeOptions(cadenceMillis, duty, budgetMillis, 30_000, 600_000, 0);
    }

    private void costs(Duration span) {
        probe.next = () -> Script.healthy(span);
    }

    @Test
    void d1AnAttemptThatCostsMoreThanTheCadenceIsFollowedByIdlenessOfFourTimesItsCost() {
        patient();
        costs(Duration.ofSeconds(264));
        probe.start();

        probe.advance(Duration.ofSeconds(4_000));

        // 264 · (1 − 0.2) / 0.2 = 1,056 seconds of idleness after each.
        assertThat(probe.beganSeconds()).containsExactly(0L, 1_320L, 2_640L, 3_960L);
        assertThat(probe.warned).contains(ProbeWarning.COST_ABOVE_CADENCE);
    }

    @Test
    void d2ACheapAttemptRunsAtEveryTickAndNothingIsWarnedAbout() {
        // As much as duty · cadence allows, to the nanosecond.
        costs(Duration.ofSeconds(12));
        probe.start();

        probe.advance(Duration.ofSeconds(599));

        assertThat(probe.beganSeconds()).containsExactly(0L, 60L, 120L, 180L, 240L, 300L, 360L, 420L, 480L, 540L);
        assertThat(probe.warned).isEmpty();
        assertThat(probe.view().counts().skipped()).isEmpty();
    }

    @Test
    void d3BetweenDutyTimesCadenceAndTheCadenceTicksAreSkippedAndAWarningSaysSo() {
        costs(Duration.ofSeconds(20));
        probe.start();

        probe.advance(Duration.ofSeconds(450));

        assertThat(probe.beganSeconds()).containsExactly(0L, 100L, 200L, 300L, 400L);
        assertThat(probe.skipped(SkipCause.PACING)).isEqualTo(4);
        assertThat(probe.warned).containsExactly(ProbeWarning.TICKS_SKIPPED);
        assertThat(probe.view().warnings()).containsExactly(ProbeWarning.TICKS_SKIPPED);
        assertThat(probe.health().state()).isEqualTo(HealthState.HEALTHY);
    }

    @Test
    void d3TheWarningBeginsWhereTheFirstTickIsSkipped() {
        costs(Duration.ofSeconds(12).plusMillis(1));
        probe.start();

        probe.advance(Duration.ofSeconds(119));

        assertThat(probe.skipped(SkipCause.PACING)).isEqualTo(1);
        assertThat(probe.warned).containsExactly(ProbeWarning.TICKS_SKIPPED);
    }

    @Test
    void d4TheFloorIsPaidOnceThenTheNextAttemptRuns() {
        patient();
        Deque<Script> scripts = new ArrayDeque<>(List.of(Script.healthy(Duration.ofSeconds(264))));
        probe.next = () -> Objects.requireNonNullElse(scripts.poll(), Script.healthy(Duration.ofSeconds(1)));
        probe.start();

        probe.advance(Duration.ofMinutes(25));

        assertThat(probe.beganSeconds()).containsExactly(0L, 1_320L, 1_380L, 1_440L, 1_500L);
        assertThat(probe.view().warnings()).doesNotContain(ProbeWarning.TICKS_SKIPPED);
    }

    @Test
    void d5NProbesOnOneProviderAreChargedUpToNTimesTheDuty() {
        FakeClock clock = new FakeClock();
        List<GateFixture> probes = List.of(new GateFixture(clock), new GateFixture(clock), new GateFixture(clock));
        for (GateFixture each : probes) {
            each.next = () -> Script.healthy(Duration.ofSeconds(20));
            each.start();
        }

        clock.advance(Duration.ofDays(1));

        double seconds = probes.stream()
                        .mapToLong(each -> each.view().counts().chargedNanos())
                        .sum()
                / 1e9;
        double share = seconds / Duration.ofDays(1).toSeconds();
        assertThat(share).isLessThanOrEqualTo(3 * 0.2).isGreaterThan(0.59);
        probes.forEach(each ->
                assertThat(each.view().counts().chargedNanos() / 1e9 / 86_400).isLessThanOrEqualTo(0.2));
        probes.forEach(GateFixture::stop);
        clock.advance(Duration.ofMinutes(1));
        assertThat(clock.pending()).isZero();
    }

    @Test
    void d6AnAbandonedAttemptIsChargedItsSpanAndOneBudget() {
        probe.next = () -> Script.abandoned(Duration.ofSeconds(30));
        probe.start();

        probe.advance(Duration.ofSeconds(299));
        assertThat(probe.beganSeconds()).containsExactly(0L);
        assertThat(charged()).isEqualTo(Duration.ofSeconds(60));
        assertThat(probe.view().counts().abandoned()).isEqualTo(1);

        // Idle for more than 60 · 4 seconds, so that what is charged is no more than a fifth of the time.
        probe.advance(Duration.ofSeconds(1));
        assertThat(probe.beganSeconds()).containsExactly(0L, 300L);
    }

    @Test
    void d6WhetherAnAttemptIsAbandonedIsToldAndNotGuessedFromItsLength() {
        // Its whole budget, but the provider stopped with it; a retry within took a share, and the provider works on.
        Deque<Script> scripts = new ArrayDeque<>(
                List.of(Script.failed(Duration.ofSeconds(30)), Script.abandoned(Duration.ofSeconds(5))));
        probe.next = () -> Objects.requireNonNullElse(scripts.poll(), Script.healthy(Duration.ofSeconds(1)));
        probe.start();

        probe.advance(Duration.ofSeconds(149));
        assertThat(charged()).isEqualTo(Duration.ofSeconds(30));
        probe.advance(Duration.ofSeconds(10));
        assertThat(probe.beganSeconds()).containsExactly(0L, 150L);
        assertThat(charged()).isEqualTo(Duration.ofSeconds(35));
    }

    @Test
    void d7ARefusedConnectionCostsWhatItTook() {
        probe.next = () -> Script.failed(Duration.ofMillis(5));
        probe.start();

        probe.advance(Duration.ofSeconds(1));

        assertThat(charged()).isEqualTo(Duration.ofMillis(5));
        assertThat(probe.view().warnings()).isEmpty();
    }

    @Test
    void d8TheBackOffDoublesToItsMaximumAndSuccessClearsIt() {
        probe.options = with(1_000, 0.2, 500);
        probe.next = () -> Script.failed(Duration.ofMillis(5));
        probe.start();

        probe.advance(Duration.ofSeconds(30 + 60 + 120 + 240 + 480 + 600 + 600 + 1));
        assertThat(gapsSeconds()).containsExactly(30L, 60L, 120L, 240L, 480L, 600L, 600L);
        assertThat(probe.view().failures()).isEqualTo(8);
        assertThat(probe.skipped(SkipCause.BACKOFF)).isGreaterThan(2_000);

        probe.began.clear();
        costs(Duration.ofMillis(5));
        probe.advance(Duration.ofSeconds(602));
        assertThat(probe.view().failures()).isZero();
        assertThat(gapsSeconds()).isNotEmpty().containsOnly(1L);
    }

    @Test
    void d8PacingLeavesTheBackOffAsItIs() {
        List<List<Long>> both = new ArrayList<>();
        for (double duty : new double[] {0.2, 1}) {
            GateFixture one = new GateFixture();
            one.options = with(1_000, duty, 500);
            one.next = () -> Script.failed(Duration.ofMillis(500));
            one.start();
            one.advance(Duration.ofMinutes(40));
            both.add(one.began);
            one.stop();
        }

        assertThat(both.get(0)).isEqualTo(both.get(1)).hasSizeGreaterThan(5);
    }

    @Test
    void d8TheLaterOfBackOffAndFloorCounts() {
        probe.options = with(1_000, 0.2, 30_000);
        probe.next = () -> Script.failed(Duration.ofSeconds(20));
        probe.start();

        probe.advance(Duration.ofSeconds(99));
        assertThat(probe.beganSeconds()).containsExactly(0L);
        probe.advance(Duration.ofSeconds(1));
        assertThat(probe.beganSeconds()).containsExactly(0L, 100L);
    }

    @Test
    void aChangedCadenceCountsAtOnce() {
        probe.start();
        probe.advance(Duration.ofSeconds(5));

        probe.options = with(10_000, 0.2, 1_000);
        probe.advance(Duration.ofSeconds(6));
        assertThat(probe.beganSeconds()).containsExactly(0L, 10L);

        probe.options = with(0, 0.2, 1_000);
        probe.advance(Duration.ofHours(1));
        assertThat(probe.began).hasSize(2);
        assertThat(probe.health().state()).isEqualTo(HealthState.DISABLED);

        probe.options = with(10_000, 0.2, 1_000);
        probe.advance(Duration.ofSeconds(1));
        assertThat(probe.began).hasSize(3);
    }

    @Test
    void aDutyThatIsNoneSetsNoFloorAndSaysSo() {
        probe.options = with(60_000, 1, 300_000);
        costs(Duration.ofSeconds(70));
        probe.start();

        probe.advance(Duration.ofSeconds(150));

        assertThat(probe.beganSeconds()).containsExactly(0L, 70L, 140L);
        assertThat(probe.warned).contains(ProbeWarning.PACING_OFF, ProbeWarning.COST_ABOVE_CADENCE);
    }

    @Test
    void aBudgetAboveTheCadenceIsWarnedAboutOnce() {
        probe.options = with(10_000, 0.2, 30_000);
        probe.start();
        probe.advance(Duration.ofMinutes(5));

        assertThat(probe.warned).containsExactly(ProbeWarning.BUDGET_ABOVE_CADENCE);
    }

    @Test
    void ticksThatWereSleptThroughAreCountedAndOneAttemptRuns() {
        probe.start();
        probe.advance(Duration.ofSeconds(1));
        probe.silence();
        probe.advance(Duration.ofMinutes(5));

        probe.tell(new ProbeEvent.Tick(probe.gate.epoch(), GateFixture.KEY));

        assertThat(probe.began).hasSize(2);
        assertThat(probe.skipped(SkipCause.LATE)).isEqualTo(4);
    }

    @Test
    void aDayOfAFastProbeHasAnAttemptAMinute() {
        probe.start();

        probe.advance(Duration.ofDays(1).minusSeconds(1));

        assertThat(probe.began).hasSize(1_440);
        assertThat(probe.view().counts().attempts()).containsEntry(Verdict.HEALTHY, 1_440L);
        assertThat(probe.view().counts().skipped()).isEmpty();
    }

    @Test
    void aDayOfASlowProbeIsChargedAFifthOfIt() {
        costs(Duration.ofSeconds(20));
        probe.start();

        probe.advance(Duration.ofDays(1).minusSeconds(1));

        assertThat(probe.began).hasSize(864);
        assertThat(probe.view().counts().chargedNanos())
                .isLessThanOrEqualTo(Duration.ofDays(1).toNanos() / 5);
        assertThat(probe.skipped(SkipCause.PACING)).isEqualTo(864);
    }

    private Duration charged() {
        return Duration.ofNanos(Objects.requireNonNull(probe.view().charged()).nanos());
    }

    private List<Long> gapsSeconds() {
        List<Long> gaps = new ArrayList<>();
        for (int i = 1; i < probe.began.size(); i++) {
            gaps.add((probe.began.get(i) - probe.began.get(i - 1)) / 1_000);
        }
        return gaps;
    }
}
