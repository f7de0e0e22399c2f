package io.recallgate.embedding.pool;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Work that goes on without anybody who waits for it. */
class AbandonedWorkTest {

    private final PoolFixture pool = PoolFixture.withSlots(1);

    @Test
    void aCallerWhoLeavesIsToldWhetherItsWorkGoesOn() {
        pool.warm(1);
        ScriptedWorker worker = pool.worker(0);
        long alone = pool.query("a");
        worker.start();
        long queued = pool.query("b");
        pool.cancel(queued);
        pool.cancel(alone);
        assertThat(pool.failure(alone).isAbandoned()).isTrue();
        assertThat(pool.failure(queued).isAbandoned()).isFalse();
        worker.complete();

        long first = pool.query("c");
        worker.start();
        long second = pool.query("c");
        pool.cancel(first);
        assertThat(pool.failure(first).isAbandoned())
                .as("it is done for the other one")
                .isFalse();
        worker.complete();
        assertThat(pool.isSettled(second)).isTrue();
    }
}
