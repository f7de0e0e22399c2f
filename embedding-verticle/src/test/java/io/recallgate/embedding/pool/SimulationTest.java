package io.recallgate.embedding.pool;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/**
 * Case A26, in small: seeded schedules. {@code -Drecallgate.simulate.schedules=N} runs more of them and {@code
 * -Drecallgate.simulate.seed=S} begins with another; a failure names the seed that replays it.
 */
class SimulationTest {

    private static final int STEPS = 150;

    @Test
    void everyScheduleKeepsWhatMustBeTrue() {
        int schedules = Integer.getInteger("recallgate.simulate.schedules", 500);
        long first = Long.getLong("recallgate.simulate.seed", 1L);
        long settled = 0;
        for (long seed = first; seed < first + schedules; seed++) {
            try {
                settled += new Simulation(seed).run(STEPS);
            } catch (AssertionError | RuntimeException e) {
                throw new AssertionError("seed " + seed + ": " + e.getMessage(), e);
            }
        }
        assertThat(settled).isGreaterThan(50L * schedules);
    }
}
