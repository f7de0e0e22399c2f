package io.recallgate.gateway.probe;

import static org.assertj.core.api.Assertions.assertThat;

import io.recallgate.gateway.probe.Delivery.Refusal;
import io.recallgate.gateway.probe.GateFixture.Script;
import java.time.Duration;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Cases D9, D10, D12 and D13 of the contracts: who gets which attempt's result. */
class ProbeGateTest {

    private final GateFixture probe = new GateFixture();

    @AfterEach
    void noTimerIsLeft() {
        probe.stop();
        // What was scripted to settle later settles.
        probe.advance(Duration.ofHours(2));
        assertThat(probe.clock.pending()).isZero();
    }

    private void costs(Duration span) {
        probe.next = () -> Script.healthy(span);
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

    private Refusal refusal(long waiter) {
        return Objects.requireNonNull(
                Objects.requireNonNull(probe.deliveries.get(waiter)).refusal());
    }
}
