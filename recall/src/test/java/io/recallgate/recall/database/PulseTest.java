package io.recallgate.recall.database;

import static org.assertj.core.api.Assertions.assertThat;

import io.recallgate.recall.database.Pulse.Effect;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class PulseTest {

    private final Pulse pulse = new Pulse();

    @Test
    void whileNobodyWaitsNothingIsTimed() {
        assertThat(pulse.timeIsUp()).isEqualTo(Effect.NOTHING);
        assertThat(pulse.heard()).isEqualTo(Effect.NOTHING);
        assertThat(pulse.state()).isEqualTo(PulseState.RESTING);
    }

    @Test
    void aWatchThatFindsNobodyWaitingEnds() {
        assertThat(pulse.begun()).isEqualTo(Effect.WATCH);
        assertThat(pulse.begun()).isEqualTo(Effect.NOTHING);
        pulse.ended();
        pulse.ended();

        assertThat(pulse.timeIsUp()).isEqualTo(Effect.REST);
        assertThat(pulse.state()).isEqualTo(PulseState.RESTING);
    }

    @Test
    void asLongAsSomethingComesBackNobodyAsks() {
        pulse.begun();
        for (int i = 0; i < 5; i++) {
            pulse.heard();
            assertThat(pulse.timeIsUp()).isEqualTo(Effect.WATCH);
        }
    }

    @Test
    void aBusyServerIsAskedAndItsAnswerKeepsEverybodyWaiting() {
        pulse.begun();
        assertThat(pulse.timeIsUp()).isEqualTo(Effect.ASK);

        assertThat(pulse.heard()).isEqualTo(Effect.WATCH);

        assertThat(pulse.timeIsUp()).as("asked again, since nothing else came").isEqualTo(Effect.ASK);
    }

    @Test
    void aServerThatDoesNotAnswerTheQuestionIsSilentUntilAnythingComesBack() {
        pulse.begun();
        pulse.timeIsUp();

        assertThat(pulse.timeIsUp()).isEqualTo(Effect.REFUSE);
        assertThat(pulse.state()).isEqualTo(PulseState.SILENT);
        assertThat(pulse.timeIsUp()).isEqualTo(Effect.REDIAL);
        assertThat(pulse.timeIsUp()).isEqualTo(Effect.REDIAL);
        assertThat(pulse.wanted()).isEqualTo(Effect.NOTHING);
        assertThat(pulse.begun()).isEqualTo(Effect.NOTHING);
        pulse.ended();

        assertThat(pulse.heard()).isEqualTo(Effect.WATCH);
    }

    @Test
    void eachNewConnectionIsBelievedInForTwiceAsLongAsTheOneBeforeUpToABound() {
        for (int silence = 0; silence < 2; silence++) {
            pulse.begun();
            pulse.timeIsUp();
            List<Long> waits = new ArrayList<>();
            for (int i = 0; i < 5; i++) {
                pulse.timeIsUp();
                waits.add(pulse.redialMillis());
            }
            assertThat(waits).containsExactly(5_000L, 10_000L, 20_000L, 20_000L, 20_000L);
            pulse.heard();
        }
    }

    @Test
    void silenceOutlastsThoseWhoWaited() {
        pulse.begun();
        pulse.timeIsUp();
        pulse.timeIsUp();
        pulse.ended();

        assertThat(pulse.timeIsUp()).isEqualTo(Effect.REDIAL);
        assertThat(pulse.state()).isEqualTo(PulseState.SILENT);
        assertThat(pulse.heard()).isEqualTo(Effect.REST);
    }

    @Test
    void whoeverWantsToKnowAsksOfAnIdleServerToo() {
        assertThat(pulse.wanted()).isEqualTo(Effect.ASK);
        assertThat(pulse.wanted()).isEqualTo(Effect.NOTHING);

        assertThat(pulse.timeIsUp()).isEqualTo(Effect.REFUSE);
        assertThat(pulse.heard()).isEqualTo(Effect.REST);
    }

    @Test
    void whatWasHeardBeforeAQuestionDoesNotAnswerIt() {
        pulse.begun();
        pulse.heard();
        pulse.wanted();

        assertThat(pulse.timeIsUp()).isEqualTo(Effect.REFUSE);
    }

    @Test
    void everyCourseKeepsToTheLegalEdgesAndEndsAtRest() {
        for (int seed = 0; seed < 2_000; seed++) {
            Random random = new Random(seed);
            Pulse one = new Pulse();
            int waiting = 0;
            for (int step = 0; step < 200; step++) {
                PulseState before = one.state();
                switch (random.nextInt(5)) {
                    case 0 -> {
                        one.begun();
                        waiting++;
                    }
                    case 1 -> {
                        if (waiting > 0) {
                            one.ended();
                            waiting--;
                        }
                    }
                    case 2 -> one.heard();
                    case 3 -> one.wanted();
                    default -> one.timeIsUp();
                }
                assertThat(one.state() == before || before.next().contains(one.state()))
                        .as("seed %d, step %d: %s to %s", seed, step, before, one.state())
                        .isTrue();
                assertThat(one.state() == PulseState.RESTING && waiting > 0)
                        .as("seed %d, step %d: somebody waits unwatched", seed, step)
                        .isFalse();
            }
            while (waiting-- > 0) {
                one.ended();
            }
            one.heard();
            one.timeIsUp();
            one.timeIsUp();
            assertThat(one.state()).as("seed %d", seed).isEqualTo(PulseState.RESTING);
        }
    }
}
