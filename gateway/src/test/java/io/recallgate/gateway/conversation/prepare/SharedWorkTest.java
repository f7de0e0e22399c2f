package io.recallgate.gateway.conversation.prepare;

import static org.assertj.core.api.Assertions.assertThat;

import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import io.recallgate.time.CancelCause;
import io.recallgate.time.CancelSignal;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class SharedWorkTest {

    private final SharedWork<String, String> shared = new SharedWork<>();
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
        Future<String> failed = shared.join("k", new CancelSignal(), signal -> {
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

    private Future<String> join(String key, CancelSignal leaves) {
        return shared.join(key, leaves, signal -> {
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
