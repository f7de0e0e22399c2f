package io.recallgate.embedding.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.recallgate.embedding.api.EmbedInput;
import io.recallgate.embedding.api.EmbeddingVector;
import io.recallgate.embedding.api.InputType;
import io.recallgate.embedding.api.ModelIdentity;
import io.recallgate.embedding.model.ModelProfile;
import io.recallgate.embedding.model.RunFailedException;
import io.recallgate.embedding.model.RunTerminatedException;
import io.recallgate.embedding.model.TextModel;
import io.recallgate.embedding.model.TokenizedRow;
import io.recallgate.embedding.protocol.FromWorker;
import io.recallgate.embedding.protocol.PartResult;
import io.recallgate.embedding.protocol.PartTiming;
import io.recallgate.embedding.protocol.RunFailure;
import io.recallgate.embedding.protocol.SlicePart;
import io.recallgate.embedding.protocol.ToWorker;
import io.recallgate.time.FakeClock;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What each part of a slice is said to have cost. */
class SliceRunnerTest {

    private final FakeClock clock = new FakeClock();

    @Test
    void rowsThatRunOneByOneCostWhatTheirOwnRunsTook() {
        FromWorker.Completed done = (FromWorker.Completed) run(false, "aaa", "b");

        assertThat(timings(done.parts())).containsExactly(new PartTiming(3, 300), new PartTiming(1, 100));
    }

    @Test
    void rowsThatRunTogetherShareTheirRunEquallySinceTheyArePaddedToOneLength() {
        FromWorker.Completed done = (FromWorker.Completed) run(true, "aaa", "b", "c");

        // Three rows of three tokens each are 900; nothing is lost in the division of the 901 that it took.
        assertThat(timings(done.parts()))
                .containsExactly(new PartTiming(3, 301), new PartTiming(1, 300), new PartTiming(1, 300));
    }

    @Test
    void aRunThatFailsAndIsTriedRowByRowIsCountedOnce() {
        FromWorker.Completed done = (FromWorker.Completed) run(true, "a", "x");

        // Together 201, which is shared; then each alone.
        assertThat(timings(done.parts())).containsExactly(new PartTiming(1, 201), new PartTiming(1, 200));
        assertThat(done.parts().get(1).failure()).isEqualTo(RunFailure.POISON);
    }

    @Test
    void theTimeOfARunThatWasEndedIsNotThatOfTheRowsThatWereDoneBefore() {
        FromWorker.Terminated ended = (FromWorker.Terminated) run(false, "a", "stuck!");

        assertThat(timings(ended.finished())).containsExactly(new PartTiming(1, 100));
    }

    @Test
    void aSliceIsLeftOffBetweenRowsAndNeverBeforeTheFirst() {
        FromWorker.Completed done = (FromWorker.Completed) run(false, "pause", "aaa", "b");

        assertThat(done.parts().stream().map(part -> part.rows().size())).containsExactly(1, 0, 0);
        assertThat(timings(done.parts())).startsWith(new PartTiming(5, 500)).contains(new PartTiming(3, 0));
        assertThat(done.parts()).allMatch(part -> part.failure() == null);
    }

    @Test
    void rowsThatShareARunAreNotLeftOff() {
        FromWorker.Completed done = (FromWorker.Completed) run(true, "pause", "aaa");

        assertThat(done.parts().stream().map(part -> part.rows().size())).containsExactly(1, 1);
    }

    private FromWorker run(boolean together, String... texts) {
        List<SlicePart> parts = Stream.of(texts)
                .map(text -> new SlicePart(text.hashCode(), InputType.DOCUMENT, 0, List.of(new EmbedInput.Text(text))))
                .toList();
        TimedModel model = new TimedModel(together);
        return new SliceRunner(
                        model,
                        clock,
                        new SliceRunner.Orders(slice -> model.ended, slice -> model.pausing),
                        new ToWorker.Dispatch(0, 1, 1, parts, 4_096))
                .run();
    }

    private static List<PartTiming> timings(List<PartResult> parts) {
        return parts.stream().map(PartResult::timing).toList();
    }

    /** Takes a nanosecond to tokenise a character and a hundred to run a padded one, and one more for company. */
    private final class TimedModel implements TextModel {
        private final ModelProfile profile;
        private boolean ended;
        private boolean pausing;

        TimedModel(boolean together) {
            profile = new ModelProfile(new ModelIdentity("timed", "f", 1, 512), together, 1, 100, 0);
        }

        @Override
        public ModelProfile profile() {
            return profile;
        }

        @Override
        public TokenizedRow tokenize(EmbedInput input, InputType type) {
            String text = ((EmbedInput.Text) input).text();
            clock.advance(Duration.ofNanos(text.length()));
            // Truncation stands for what fails here.
            return TokenizedRow.ofLength(text.length(), text.equals("x"));
        }

        @Override
        public List<EmbeddingVector> run(long runId, List<TokenizedRow> rows)
                throws RunTerminatedException, RunFailedException {
            int longest = rows.stream().mapToInt(TokenizedRow::tokens).max().orElseThrow();
            clock.advance(Duration.ofNanos(100L * longest * rows.size() + (rows.size() > 1 ? 1 : 0)));
            pausing |= longest == "pause".length();
            if (longest == "stuck!".length()) {
                ended = true;
                throw new RunTerminatedException();
            }
            if (rows.stream().anyMatch(TokenizedRow::truncated)) {
                throw new RunFailedException("timed", false);
            }
            return rows.stream().map(row -> EmbeddingVector.of(1f)).toList();
        }

        @Override
        public void terminate(long runId) {
            ended = true;
        }

        @Override
        public void close() {
            // Nothing is held.
        }
    }
}
