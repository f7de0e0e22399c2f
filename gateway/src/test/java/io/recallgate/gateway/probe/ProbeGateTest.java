package io.recallgate.gateway.probe;

import static org.assertj.core.api.Assertions.assertThat;

import io.recallgate.gateway.probe.Delivery.Refusal;
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

/** Cases D1 to D10, D12 and D13 of the contracts; D11 is {@link HealthProjectionTest}. */
class ProbeGateTest {

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
    void d9OneFlightAtATimeAcrossKeysAndTheResultAboutTheOldModelIsDropped() {
        probe.next = Script::never;
        probe.start();
        probe.advance(Duration.ofSeconds(2));
        long before = probe.run();

        probe.key = GateFixture.OTHER;
        long after = probe.run();
        probe.advance(Duration.ofSeconds(5));
        assertThat(probe.began).hasSize(1);
        assertThat(probe.view().state()).isEqualTo(GateState.SUPERSEDED);

        probe.settle(ProbeOutcome.failed("late", "of the old model"));
        assertThat(probe.began).as("one coalesced attempt begins at once").hasSize(2);
        assertThat(probe.view().result()).isNull();
        assertThat(probe.deliveries).isEmpty();

        probe.settle(ProbeOutcome.healthy("hybrid"));
        for (long waiter : new long[] {before, after}) {
            Delivery delivery = Objects.requireNonNull(probe.deliveries.get(waiter));
            assertThat(Objects.requireNonNull(delivery.result()).outcome().isHealthy())
                    .isTrue();
            assertThat(delivery.demanded()).isEqualTo(2);
        }
        assertThat(probe.view().failures()).isZero();
    }

    @Test
    void d9AKeyThatComesBackIsANewGeneration() {
        probe.next = Script::never;
        probe.start();
        probe.advance(Duration.ofSeconds(1));
        probe.key = GateFixture.OTHER;
        probe.advance(Duration.ofSeconds(2));
        probe.key = GateFixture.KEY;
        probe.advance(Duration.ofSeconds(2));

        probe.settle(ProbeOutcome.healthy("hybrid"));

        assertThat(Objects.requireNonNull(probe.view().generation()).id()).isEqualTo(3);
        assertThat(probe.view().result()).as("it was begun for the A of before").isNull();
        assertThat(probe.health().state()).isEqualTo(HealthState.PENDING);
    }

    @Test
    void d9AnotherModelClearsFailuresAndBackOffButNotTheFloor() {
        probe.next = () -> Script.failed(Duration.ofSeconds(20));
        probe.start();
        probe.advance(Duration.ofSeconds(25));
        assertThat(probe.view().failures()).isEqualTo(1);

        probe.key = GateFixture.OTHER;
        probe.advance(Duration.ofSeconds(74));
        assertThat(probe.view().failures()).isZero();
        assertThat(probe.began).hasSize(1);
        probe.advance(Duration.ofSeconds(1));
        assertThat(probe.beganSeconds()).containsExactly(0L, 100L);
    }

    @Test
    void d9WhatAnAttemptFindsOutAboutItsOwnModelIsNoChange() {
        probe.key = ProbeKey.named("openai", "m");
        probe.start();
        probe.advance(Duration.ofSeconds(1));
        probe.key = GateFixture.KEY;
        probe.advance(Duration.ofSeconds(2));
        probe.key = ProbeKey.named("openai", "m");
        probe.advance(Duration.ofSeconds(2));

        assertThat(Objects.requireNonNull(probe.view().generation()).id()).isEqualTo(1);
        assertThat(probe.view().result()).isNotNull();
        assertThat(Objects.requireNonNull(probe.view().generation()).key()).isEqualTo(GateFixture.KEY);
    }

    @Test
    void d9LateAndDuplicateResultsAreDroppedAndCounted() {
        probe.next = Script::never;
        probe.start();
        probe.advance(Duration.ofSeconds(1));
        probe.settle(ProbeOutcome.healthy(null));
        probe.settle(ProbeOutcome.failed("twice", ""));
        probe.tell(new ProbeEvent.Settled(99, ProbeOutcome.failed("nobody", "")));

        assertThat(probe.view().counts().dropped()).isEqualTo(2);
        assertThat(Objects.requireNonNull(probe.view().result()).outcome().isHealthy())
                .isTrue();
    }

    @Test
    void d10NothingIsBegunWhoseBudgetExceedsWhatItsCallerWaitsFor() {
        probe.start();
        probe.advance(Duration.ofSeconds(10));

        long impatient = probe.run(Duration.ofMillis(29_999));
        assertThat(refusal(impatient)).isEqualTo(Refusal.WAIT_TOO_SHORT);
        assertThat(probe.began).hasSize(1);

        long patient = probe.run(Duration.ofSeconds(30));
        assertThat(probe.began).hasSize(2);
        probe.advance(Duration.ofMillis(100));
        assertThat(Objects.requireNonNull(probe.deliveries.get(patient)).result())
                .isNotNull();
    }

    @Test
    void d10WhoeverJoinsBeginsNothingAndMayHaveLessPatience() {
        probe.next = () -> Script.healthy(Duration.ofSeconds(3));
        probe.start();
        probe.advance(Duration.ofSeconds(1));

        long joiner = probe.run(Duration.ofSeconds(5));
        probe.advance(Duration.ofSeconds(3));

        assertThat(Objects.requireNonNull(probe.deliveries.get(joiner)).joined())
                .isTrue();
    }

    @Test
    void d10WhoeverCannotWaitForTheOtherModelsAttemptAnyMoreIsTold() {
        probe.next = Script::never;
        probe.start();
        probe.advance(Duration.ofSeconds(1));
        probe.key = GateFixture.OTHER;
        long waiter = probe.run(Duration.ofSeconds(40));
        probe.advance(Duration.ofSeconds(15));

        probe.settle(ProbeOutcome.healthy(null));

        assertThat(refusal(waiter)).isEqualTo(Refusal.WAIT_TOO_SHORT);
        assertThat(probe.began).hasSize(1);
    }

    @Test
    void d12ARunByHandPassesFloorAndBackOff() {
        probe.next = () -> Script.failed(Duration.ofSeconds(20));
        probe.start();
        probe.advance(Duration.ofSeconds(21));

        long waiter = probe.run();
        probe.advance(Duration.ofSeconds(20));

        assertThat(probe.beganSeconds()).containsExactly(0L, 21L);
        assertThat(Objects.requireNonNull(probe.deliveries.get(waiter)).joined())
                .isFalse();
        assertThat(probe.view().failures()).isEqualTo(2);
    }

    @Test
    void d12ARunByHandJoinsALiveFlight() {
        probe.next = () -> Script.healthy(Duration.ofSeconds(3));
        probe.start();
        probe.advance(Duration.ofSeconds(1));

        long one = probe.run();
        long two = probe.run();
        probe.advance(Duration.ofSeconds(3));

        assertThat(probe.began).hasSize(1);
        assertThat(probe.deliveries).containsOnlyKeys(one, two);
    }

    @Test
    void d12ItsCostIsPaidLikeAnyOther() {
        probe.next = () -> Script.healthy(Duration.ofSeconds(20));
        probe.start();
        probe.advance(Duration.ofSeconds(30));
        probe.run();

        probe.advance(Duration.ofSeconds(99));
        assertThat(probe.began).hasSize(2);
        probe.advance(Duration.ofSeconds(1));
        assertThat(probe.beganSeconds()).containsExactly(0L, 30L, 130L);
    }

    @Test
    void d12ThoseWhoWaitAreBoundedAndThoseWhoLeaveAreForgotten() {
        probe.next = Script::never;
        probe.start();
        probe.advance(Duration.ofSeconds(1));
        long first = probe.run();
        for (int i = 1; i < ProbeGate.MAX_WAITERS; i++) {
            probe.run();
        }
        assertThat(refusal(probe.run())).isEqualTo(Refusal.TOO_MANY_WAITING);

        probe.tell(new ProbeEvent.Leave(first));
        long last = probe.run();
        probe.settle(ProbeOutcome.healthy(null));

        assertThat(probe.deliveries).doesNotContainKey(first);
        assertThat(Objects.requireNonNull(probe.deliveries.get(last)).result()).isNotNull();
    }

    @Test
    void d13AStopAndAStartJoinTheFlightOfBefore() {
        probe.next = Script::never;
        probe.start();
        probe.advance(Duration.ofSeconds(5));
        probe.stop();
        assertThat(probe.view().state()).isEqualTo(GateState.LEFT);

        probe.start();
        probe.advance(Duration.ofSeconds(5));
        long waiter = probe.run();
        assertThat(probe.began).hasSize(1);
        probe.settle(ProbeOutcome.healthy(null));

        assertThat(Objects.requireNonNull(probe.deliveries.get(waiter)).joined())
                .isTrue();
        assertThat(probe.view().result()).isNotNull();
    }

    @Test
    void d13QueuedTicksOfAScheduleThatEndedBeginNothing() {
        probe.start();
        long epoch = probe.gate.epoch();
        probe.stop();
        probe.tell(new ProbeEvent.Tick(epoch, GateFixture.KEY));
        assertThat(probe.began).isEmpty();

        probe.start();
        probe.tell(new ProbeEvent.Tick(epoch, GateFixture.KEY));
        assertThat(probe.began).isEmpty();
        assertThat(probe.view().counts().fenced()).isEqualTo(2);

        probe.advance(Duration.ZERO);
        assertThat(probe.began).hasSize(1);
    }

    @Test
    void d13AFloorOutlivesAStop() {
        probe.next = () -> Script.healthy(Duration.ofSeconds(20));
        probe.start();
        probe.advance(Duration.ofSeconds(30));
        probe.stop();
        probe.advance(Duration.ofSeconds(10));
        probe.start();

        probe.advance(Duration.ofSeconds(59));
        assertThat(probe.began).hasSize(1);
        probe.advance(Duration.ofSeconds(1));
        assertThat(probe.beganSeconds()).containsExactly(0L, 100L);
    }

    @Test
    void d13WhoWaitsAtAStopIsToldAndACancelledAttemptIsNoFailure() {
        probe.next = Script::never;
        probe.start();
        probe.advance(Duration.ofSeconds(1));
        long waiter = probe.run();
        probe.stop();
        assertThat(refusal(waiter)).isEqualTo(Refusal.ENDED);

        probe.settle(ProbeOutcome.cancelled());

        assertThat(probe.view().state()).isEqualTo(GateState.STOPPED);
        assertThat(probe.view().failures()).isZero();
        assertThat(refusal(probe.run())).isEqualTo(Refusal.NOT_RUNNING);
    }

    @Test
    void tooManyFailuresStopTheScheduleAndTheReasonIsKept() {
        probe.options = new ProbeOptions(1_000, 0.2, 500, 1_000, 2_000, 3);
        probe.next = () -> Script.failed(Duration.ofMillis(5));
        probe.start();

        probe.advance(Duration.ofHours(1));
        assertThat(probe.began).hasSize(3);
        assertThat(probe.view().stopReason()).isEqualTo(new ProbeView.StopReason(3, 3));
        assertThat(probe.health().state()).isEqualTo(HealthState.FAILED);

        probe.stop();
        probe.start();
        probe.advance(Duration.ofHours(1));
        assertThat(probe.began)
                .as("a stop and a start are no reason to try again")
                .hasSize(3);

        costs(Duration.ofMillis(5));
        probe.run();
        probe.advance(Duration.ofSeconds(3));
        assertThat(probe.view().stopReason()).isNull();
        assertThat(probe.began).hasSizeGreaterThan(4);
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

    private Refusal refusal(long waiter) {
        return Objects.requireNonNull(
                Objects.requireNonNull(probe.deliveries.get(waiter)).refusal());
    }

    private List<Long> gapsSeconds() {
        List<Long> gaps = new ArrayList<>();
        for (int i = 1; i < probe.began.size(); i++) {
            gaps.add((probe.began.get(i) - probe.began.get(i - 1)) / 1_000);
        }
        return gaps;
    }
}
