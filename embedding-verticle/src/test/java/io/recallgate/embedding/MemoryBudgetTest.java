package io.recallgate.embedding;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class MemoryBudgetTest {

    private static final long GIB = 1L << 30;
    private static final long HEAP = GIB / 2;
    private static final long LEFT = 2 * GIB - HEAP - MemoryBudget.DATABASE_BYTES;

    @Test
    void whatElseThereIsCountsAsMeasuredBeforehandOrAsSeenIfThatIsMore() {
        assertThat(budget(2 * GIB, 0).workerBytes()).isEqualTo(LEFT - MemoryBudget.PROCESS_BYTES);
        assertThat(budget(2 * GIB, GIB).workerBytes()).isEqualTo(LEFT - GIB);
        assertThat(budget(GIB / 4, 0).workerBytes()).isZero();
    }

    @Test
    void aBudgetIsSplitIntoWorkersOfWhichThereIsAlwaysOne() {
        assertThat(budget(2 * GIB, 0).workers(128L << 20, 64))
                .isEqualTo((int) ((LEFT - MemoryBudget.PROCESS_BYTES) / (128L << 20)));
        assertThat(budget(2 * GIB, 0).workers(128L << 20, 2)).isEqualTo(2);
        assertThat(budget(GIB / 4, 0).workers(128L << 20, 2)).isEqualTo(1);
    }

    @Test
    void thisProcessHasABudgetAndItsChargesAreNotCountedTwice() {
        MemoryBudget now = MemoryBudget.read(0);

        assertThat(now.limit().bytes()).isPositive();
        assertThat(MemoryBudget.read(Long.MAX_VALUE / 2).otherBytes()).isZero();
        assertThat(now.otherBytes()).isLessThan(now.limit().bytes());
    }

    private static MemoryBudget budget(long limit, long other) {
        return new MemoryBudget(new MemoryLimit(limit, "a test"), HEAP, other);
    }
}
