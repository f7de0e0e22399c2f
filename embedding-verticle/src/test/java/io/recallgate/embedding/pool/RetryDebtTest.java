package io.recallgate.embedding.pool;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** What a slot owes, without the dispatcher before it, which drops what an older generation says. */
class RetryDebtTest {

    private final RetryDebt debt = new RetryDebt(PoolLimits.defaults(1).retry());

    @Test
    void a16ASuccessOfAnOlderGenerationDoesNotForgiveNewerDebt() {
        debt.failed(5, 0);

        debt.succeeded(4);
        debt.succeeded(5);

        assertThat(debt.failures()).isEqualTo(1);
        debt.succeeded(6);
        assertThat(debt.failures()).isZero();
    }
}
