package io.recallgate.gateway.probe;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Random schedules; {@link ProbeMutationTest} shows what they find. */
class GateSimulationTest {

    private static final int SCHEDULES = 2_000;

    @Test
    void whatMustHoldHoldsInRandomSchedules() {
        assertThat(GateSimulation.firstFailure(SCHEDULES)).isNull();
    }

    @Test
    void theSameSeedIsTheSameSchedule() {
        long attempts = new GateSimulation(7).run();

        assertThat(new GateSimulation(7).run()).isEqualTo(attempts).isGreaterThan(5);
    }
}
