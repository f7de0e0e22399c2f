package io.recallgate.gateway.conversation.evidence;

import static org.assertj.core.api.Assertions.assertThat;

import io.recallgate.gateway.conversation.turn.Phase;
import io.recallgate.gateway.conversation.turn.PhaseRun;
import io.recallgate.time.Deadline;
import io.recallgate.time.FakeClock;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What counts as a phase that overran. */
class OverrunTest {

    private static final long BUDGET = 1_500;

    private final FakeClock clock = new FakeClock();
    private final PhaseRun run = new PhaseRun(clock, Deadline.after(clock, Duration.ofMinutes(15)));

    private void after(long millis, Phase next) {
        clock.advance(Duration.ofMillis(millis));
        run.enter(next);
    }

    private Optional<Overrun> found() {
        return Overrun.of(run, BUDGET, "r1");
    }

    @Test
    void thePreparationSharesOneBoundAndItsLongestPhaseIsNamed() {
        after(0, Phase.DECODE);
        after(900, Phase.IDENTIFY);
        after(400, Phase.SELECT);
        after(1_000, Phase.FIT);
        after(99, Phase.ASSEMBLE);
        assertThat(found()).isEmpty();

        after(1, Phase.FORWARD);

        assertThat(found())
                .contains(new Overrun(
                        "r1",
                        Phase.SELECT,
                        1_000,
                        BUDGET,
                        "admit;dur=0.00, decode;dur=900.00, identify;dur=400.00, select;dur=1000.00, fit;dur=99.00,"
                                + " assemble;dur=1.00"));
    }

    @Test
    void aBodyThatTakesTooLongToReadIsOneToo() {
        after(0, Phase.DECODE);
        after(BUDGET, Phase.IDENTIFY);

        assertThat(found().orElseThrow().phase()).isEqualTo(Phase.DECODE);
    }

    @Test
    void waitingForOthersIsNone() {
        after(60_000, Phase.DECODE);
        after(1, Phase.FORWARD);
        after(60_000, Phase.RELAY);
        after(60_000, Phase.COMMIT);
        clock.advance(Duration.ofMillis(Overrun.COMMIT_MILLIS - 1));
        run.finish();

        assertThat(found()).isEmpty();
    }

    @Test
    void aCommitThatHoldsItsPlaceIsOne() {
        after(1, Phase.DECODE);
        after(1, Phase.COMMIT);
        clock.advance(Duration.ofMillis(Overrun.COMMIT_MILLIS));
        run.finish();

        assertThat(found().orElseThrow().phase()).isEqualTo(Phase.COMMIT);
    }
}
