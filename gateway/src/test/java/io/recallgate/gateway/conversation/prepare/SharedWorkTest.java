package io.recallgate.gateway.conversation.prepare;

import static org.assertj.core.api.Assertions.assertThat;

import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import io.recallgate.time.CancelCause;
import io.recallgate.time.CancelSignal;
import io.recallgate.time.Deadline;
import io.recallgate.time.FakeClock;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class SharedWorkTest {

    private static final String LESS = "less";

    private final FakeClock clock = new FakeClock();
    private final Deadline soon = Deadline.afterMillis(clock, 1_000);
    private final SharedWork<String, String> shared = new SharedWork<>(done -> done.succeeded()
            ? LESS.equals(done.result())
            : "late".equals(done.cause().getMessage()));
    private final List<Deadline> deadlines = new ArrayList<>();
    private final List<Promise<String>> begun = new ArrayList<>();
    private final List<CancelSignal> signals = new ArrayList<>();

    @Test
    void whatTwoWantIsDoneOnceAndGivenToBoth() {
        Future<String> one = join("k", new CancelSignal());
        Future<String> two = join("k", new CancelSignal());
        Future<String> other = join("another", new CancelSignal());

        begun.get(0).complete("v");

        assertThat(begun).hasSize(2);
        assertThat(one.result()).isEqualTo("v");
        assertThat(two.result()).isEqualTo("v");
        assertThat(other.isComplete()).isFalse();
        assertThat(shared.size()).isOne();
    }

    @Test
    void oneWhoLeavesIsAnsweredAndTheOthersGetTheResult() {
        CancelSignal leaves = new CancelSignal();
        Future<String> one = join("k", leaves);
        Future<String> two = join("k", new CancelSignal());

        leaves.cancel(CancelCause.DISCONNECTED);

        assertThat(code(one)).isEqualTo(FailureCode.CANCELLED);
        assertThat(signals.get(0).isCancelled()).isFalse();
        begun.get(0).complete("v");
        assertThat(two.result()).isEqualTo("v");
        assertThat(shared.size()).isZero();
    }

    @Test
    void whenTheLastOneHasLeftTheWorkIsCancelledAndTheNextOneBeginsAnew() {
        CancelSignal one = new CancelSignal();
        CancelSignal two = new CancelSignal();
        join("k", one);
        join("k", two);

        one.cancel(CancelCause.DEADLINE);
        two.cancel(CancelCause.DISCONNECTED);
        Future<String> next = join("k", new CancelSignal());
        begun.get(0).fail("late");

        assertThat(signals.get(0).isCancelled()).isTrue();
        assertThat(begun).hasSize(2);
        assertThat(next.isComplete()).isFalse();
        assertThat(shared.size()).isOne();
        begun.get(1).complete("v");
        assertThat(next.result()).isEqualTo("v");
    }

    @Test
    void aFailureIsEverybodysAndIsNotKept() {
        Future<String> one = join("k", new CancelSignal());
        Future<String> two = join("k", new CancelSignal());

        begun.get(0).fail("broken");

        assertThat(one.cause()).hasMessage("broken");
        assertThat(two.cause()).hasMessage("broken");
        join("k", new CancelSignal());
        assertThat(begun).hasSize(2);
    }

    @Test
    void workThatCannotEvenBeginLeavesNothingBehind() {
        Future<String> failed = shared.join("k", soon, new CancelSignal(), (deadline, signal) -> {
            throw new IllegalStateException("no");
        });

        assertThat(failed.cause()).hasMessage("no");
        assertThat(shared.size()).isZero();
    }

    @Test
    void oneWhoHadLeftBeforeItCameBeginsNothing() {
        CancelSignal left = new CancelSignal();
        left.cancel(CancelCause.CALLER);

        Future<String> never = join("k", left);

        assertThat(code(never)).isEqualTo(FailureCode.CANCELLED);
        assertThat(begun).isEmpty();
        assertThat(shared.size()).isZero();
    }

    @Test
    void whoeverLeavesAfterTheEndChangesNothing() {
        CancelSignal leaves = new CancelSignal();
        Future<String> one = join("k", leaves);
        begun.get(0).complete("v");

        leaves.cancel(CancelCause.DISCONNECTED);

        assertThat(one.result()).isEqualTo("v");
        assertThat(signals.get(0).isCancelled()).isFalse();
    }

    @Test
    void thoseWithMoreTimeGoOnTogetherWhenTheFirstOnesDeadlineCutsTheWorkShort() {
        Future<String> first = join("k", soon, new CancelSignal());
        Future<String> barelyLonger = join("k", in(1_050), new CancelSignal());
        Future<String> longer = join("k", in(2_000), new CancelSignal());
        Future<String> longest = join("k", in(3_000), new CancelSignal());
        clock.advanceMillis(1_000);

        begun.get(0).complete(LESS);

        assertThat(first.result()).isEqualTo(LESS);
        assertThat(barelyLonger.result()).isEqualTo(LESS);
        assertThat(begun).hasSize(2);
        assertThat(deadlines.get(1).remainingMillis()).isEqualTo(1_000);
        clock.advanceMillis(1_000);
        begun.get(1).fail("late");
        assertThat(longer.cause()).hasMessage("late");
        assertThat(begun).hasSize(3);
        begun.get(2).complete("v");
        assertThat(longest.result()).isEqualTo("v");
        assertThat(shared.size()).isZero();
    }

    @Test
    void oneWithLessTimeIsAnsweredInItsOwnAndNotByWorkThatHasMore() {
        Future<String> patient = join("k", in(2_000), new CancelSignal());
        Future<String> hurried = join("k", soon, new CancelSignal());
        assertThat(deadlines).extracting(Deadline::remainingMillis).containsExactly(2_000L, 1_000L);

        begun.get(1).complete(LESS);
        assertThat(hurried.result()).isEqualTo(LESS);
        assertThat(patient.isComplete()).isFalse();
        begun.get(0).complete("v");
        assertThat(patient.result()).isEqualTo("v");
        assertThat(shared.size()).isZero();
    }

    @Test
    void whoLeavesWhileTheWorkGoesOnForOthersCancelsItWithTheLastOfThem() {
        CancelSignal leaves = new CancelSignal();
        join("k", soon, new CancelSignal());
        Future<String> longer = join("k", in(2_000), leaves);
        clock.advanceMillis(1_000);
        begun.get(0).complete(LESS);

        leaves.cancel(CancelCause.DISCONNECTED);

        assertThat(code(longer)).isEqualTo(FailureCode.CANCELLED);
        assertThat(signals.get(1).isCancelled()).isTrue();
        assertThat(shared.size()).isZero();
    }

    private Deadline in(long millis) {
        return Deadline.afterMillis(clock, millis);
    }

    private Future<String> join(String key, CancelSignal leaves) {
        return join(key, soon, leaves);
    }

    private Future<String> join(String key, Deadline deadline, CancelSignal leaves) {
        return shared.join(key, deadline, leaves, (until, signal) -> {
            deadlines.add(until);
            signals.add(signal);
            Promise<String> work = Promise.promise();
            begun.add(work);
            return work.future();
        });
    }

    private static FailureCode code(Future<?> future) {
        assertThat(future.failed()).isTrue();
        return ((FailureException) future.cause()).code();
    }
}
