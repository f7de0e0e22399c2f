package io.recallgate.embedding.pool;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/**
 * Case A26: ten thousand seeded schedules of the dispatcher with simulated workers. A failure names the seed and the
 * command that replays it; {@code ./recallgate test --simulate N --seed S} runs any others. {@link MutationTest} proves
 * that they find defects.
 */
class SimulationTest {

    private static final int SCHEDULES = 10_000;

    @Test
    void everyScheduleKeepsWhatMustBeTrue() {
        SimulationRun run = new SimulationRun(1, SCHEDULES);
        SimulationRun.Failure failure = run.onAllProcessors();
        if (failure != null) {
            throw new AssertionError(failure.words(), failure.cause());
        }
        assertThat(run.begun()).isEqualTo(SCHEDULES);
        assertThat(run.settled()).as("schedules have something to do").isGreaterThan(50L * SCHEDULES);
    }

    @Test
    void theSameSeedIsTheSameSchedule() {
        for (long seed = 1; seed <= 50; seed++) {
            assertThat(new Simulation(seed).run()).isEqualTo(new Simulation(seed).run());
        }
    }
}
