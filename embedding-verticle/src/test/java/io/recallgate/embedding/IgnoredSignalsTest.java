package io.recallgate.embedding;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class IgnoredSignalsTest {

    @Test
    void aMaskTellsWhichSignalsAreIgnored() {
        String backgroundJob = "Name:\tjava\nSigBlk:\tffffffffffffffff\nSigIgn:\t0000000000001006\n";

        assertThat(IgnoredSignals.isIn(backgroundJob, 2)).isTrue();
        assertThat(IgnoredSignals.isIn(backgroundJob, 3)).isTrue();
        assertThat(IgnoredSignals.isIn(backgroundJob, 1)).isFalse();
        assertThat(IgnoredSignals.isIn(backgroundJob, 15)).isFalse();
        assertThat(IgnoredSignals.isIn("Name:\tjava\n", 2)).isFalse();
    }
}
