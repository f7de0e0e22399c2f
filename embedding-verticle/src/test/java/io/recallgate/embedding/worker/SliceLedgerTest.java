package io.recallgate.embedding.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.recallgate.embedding.protocol.WorkerDrops;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class SliceLedgerTest {

    private final SliceLedger ledger = new SliceLedger();
    private final List<Long> ended = new ArrayList<>();

    @Test
    void aSliceCancelledBeforeItStartsNeverStarts() {
        assertThat(ledger.cancel(1)).isTrue();

        assertThat(ledger.start(1)).isFalse();
        assertThat(ledger.start(2)).isTrue();
    }

    @Test
    void aCancellationThatCrossesTheStartIsTooLateAndIsNotAnswered() {
        assertThat(ledger.start(1)).isTrue();

        assertThat(ledger.cancel(1)).isFalse();
        ledger.finish(1);
        assertThat(ledger.cancel(1)).isFalse();
    }

    @Test
    void aRepeatedCancellationIsAnsweredOnce() {
        assertThat(ledger.cancel(1)).isTrue();
        assertThat(ledger.cancel(1)).isFalse();
    }

    @Test
    void aRepeatedOrOlderDispatchDoesNotRunAgain() {
        assertThat(ledger.start(2)).isTrue();
        ledger.finish(2);

        assertThat(ledger.start(2)).isFalse();
        assertThat(ledger.start(1)).isFalse();
    }

    @Test
    void onlyTheRunningSliceIsToLeaveOff() {
        ledger.pause(1);
        ledger.start(1);
        assertThat(ledger.isPausing(1)).isFalse();
        ledger.pause(1);
        ledger.pause(1);
        assertThat(ledger.isPausing(1)).isTrue();
        assertThat(ledger.drops().repeated()).isEqualTo(1);
        assertThat(ledger.drops().late()).isEqualTo(1);

        ledger.finish(1);
        ledger.start(2);
        assertThat(ledger.isPausing(2)).isFalse();
    }

    @Test
    void terminatingEndsTheRunningSliceOnly() {
        ledger.start(1);

        assertThat(ledger.terminate(1, ended::add)).isFalse();

        assertThat(ended).containsExactly(1L);
        assertThat(ledger.isTerminating(1)).isTrue();
        ledger.finish(1);
        ledger.start(2);
        assertThat(ledger.isTerminating(2)).isFalse();
        assertThat(ledger.terminate(1, ended::add)).isFalse();
        assertThat(ended).containsExactly(1L);
    }

    @Test
    void terminatingWhatHasNotStartedIsACancellation() {
        assertThat(ledger.terminate(1, ended::add)).isTrue();

        assertThat(ledger.start(1)).isFalse();
        assertThat(ended).isEmpty();
    }

    @Test
    void afterClosingNothingStarts() {
        ledger.close();

        assertThat(ledger.start(1)).isFalse();
    }

    @Test
    void whatIsNotActedOnIsCountedByItsKind() {
        ledger.misdirected();
        ledger.start(2);
        ledger.terminate(2, ended::add);
        ledger.terminate(2, ended::add);
        ledger.finish(2);
        ledger.start(2);
        ledger.start(1);
        ledger.cancel(2);
        ledger.terminate(1, ended::add);
        ledger.cancel(3);
        ledger.cancel(3);
        ledger.start(3);
        ledger.start(3);
        ledger.close();
        ledger.start(4);

        assertThat(ledger.drops()).isEqualTo(new WorkerDrops(1, 5, 2, 1, 1));
    }
}
