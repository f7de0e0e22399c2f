package io.recallgate.embedding.pool;

import static org.assertj.core.api.Assertions.assertThat;

import io.recallgate.embedding.api.InputType;
import org.junit.jupiter.api.Test;

/** Work that several workers may have in their hands, as when another model came in between. */
class QuarantineTest {

    private static final OperationKey KEY = new OperationKey("m", InputType.DOCUMENT, "d");

    private final Quarantine quarantine = new Quarantine(PoolLimits.defaults(2).retention());

    @Test
    void aKeyIsFencedUntilTheLastWorkerThatMayHaveItHasGivenItBack() {
        quarantine.fence(KEY, 0, 1);
        quarantine.fence(KEY, 1, 7);

        quarantine.release(1, 7, 0);
        assertThat(quarantine.isFenced(KEY)).isTrue();
        quarantine.release(0, 1, 0);

        assertThat(quarantine.isEmpty()).isTrue();
    }

    @Test
    void aKeyIsHeldForTheWorkerThatDoesNotReturnAlthoughAnotherDoes() {
        quarantine.fence(KEY, 0, 1);
        quarantine.fence(KEY, 1, 7);

        assertThat(quarantine.harden(0, 1)).containsExactly(KEY);
        quarantine.release(1, 7, 0);

        assertThat(quarantine.isHeld(KEY)).isTrue();
        assertThat(quarantine.busyKeys()).isEqualTo(1);
        quarantine.release(0, 1, 0);
        assertThat(quarantine.isEmpty()).isTrue();
    }
}
