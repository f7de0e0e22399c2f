package io.recallgate.gateway.conversation.turn;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import io.recallgate.time.Deadline;
import io.recallgate.time.FakeClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The phases of a turn: their order, their deadline and their times. */
class PhaseRunTest {

    private final FakeClock clock = new FakeClock();
    private final PhaseRun run = new PhaseRun(clock, Deadline.after(clock, Duration.ofSeconds(10)));

    @Test
    void phasesAreEnteredInTheirOrderAndNeverTwice() {
        run.enter(Phase.DECODE);
        run.enter(Phase.SELECT);

        assertThatThrownBy(() -> run.enter(Phase.SELECT)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> run.enter(Phase.IDENTIFY)).hasMessage("SELECT is not followed by IDENTIFY");
        assertThat(run.current()).isEqualTo(Phase.SELECT);
    }

    @Test
    void noPhaseBeginsAfterTheRequestsDeadlineAndTheOneBeforeHasItsTime() {
        run.enter(Phase.DECODE);
        clock.advance(Duration.ofSeconds(10));

        assertThatThrownBy(() -> run.enter(Phase.IDENTIFY))
                .isInstanceOfSatisfying(FailureException.class, late -> assertThat(late.code())
                        .isEqualTo(FailureCode.DEADLINE_EXCEEDED))
                .hasMessageContaining("before identify");
        assertThat(run.nanos(Phase.DECODE)).isEqualTo(Duration.ofSeconds(10).toNanos());
    }

    @Test
    void timesAreToldInMillisecondsAndWhatWasPassedOverIsNot() {
        clock.advance(Duration.ofNanos(4_900));
        run.enter(Phase.DECODE);
        clock.advance(Duration.ofNanos(1_305_000));
        run.enter(Phase.IDENTIFY);
        clock.advance(Duration.ofMillis(1));
        run.enter(Phase.FIT);
        clock.advance(Duration.ofNanos(250_000));
        run.enter(Phase.FORWARD);

        assertThat(run.serverTiming()).isEqualTo("admit;dur=0.00, decode;dur=1.31, identify;dur=1.00, fit;dur=0.25");
        assertThat(run.preparationMillis()).isEqualTo("1.3");
        assertThat(run.spans())
                .isEqualTo(Map.of(
                        Phase.ADMIT, 4_900L,
                        Phase.DECODE, 1_305_000L,
                        Phase.IDENTIFY, 1_000_000L,
                        Phase.FIT, 250_000L));
    }

    @Test
    void aGatewayStartsWithThisOrderAndWithNoOther() {
        assertThatCode(PhaseOrder::check).doesNotThrowAnyException();
        List<Phase> phases = List.of(Phase.values());
        for (int i = 0; i < phases.size(); i++) {
            for (int j = i + 1; j < phases.size(); j++) {
                List<Phase> other = new ArrayList<>(phases);
                Collections.swap(other, i, j);
                assertThatThrownBy(() -> PhaseOrder.check(other))
                        .as("%s", other)
                        .isInstanceOf(IllegalStateException.class);
            }
        }
        assertThatThrownBy(() -> PhaseOrder.check(phases.subList(0, phases.size() - 1)))
                .isInstanceOf(IllegalStateException.class);
    }
}
