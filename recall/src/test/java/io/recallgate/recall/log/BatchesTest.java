package io.recallgate.recall.log;

import static org.assertj.core.api.Assertions.assertThat;

import io.recallgate.recall.log.Batches.Effect;
import java.util.Random;
import org.junit.jupiter.api.Test;

class BatchesTest {

    private final Batches<Integer> batches = new Batches<>();

    @Test
    void theFirstWaitsForCompanyAndOneBatchIsOnItsWayAtATime() {
        assertThat(batches.add(1)).isEqualTo(Effect.ARM);
        assertThat(batches.add(2)).isEqualTo(Effect.NOTHING);
        assertThat(batches.timeIsUp()).isEqualTo(Effect.WRITE);
        assertThat(batches.take()).containsExactly(1, 2);
        assertThat(batches.add(3)).isEqualTo(Effect.NOTHING);
        assertThat(batches.timeIsUp()).isEqualTo(Effect.NOTHING);
        assertThat(batches.written()).isEqualTo(Effect.ARM);
        assertThat(batches.timeIsUp()).isEqualTo(Effect.WRITE);
        assertThat(batches.take()).containsExactly(3);
        assertThat(batches.written()).isEqualTo(Effect.NOTHING);
        assertThat(batches.state()).isEqualTo(WriterState.RESTING);
    }

    @Test
    void aFullBatchDoesNotWait() {
        for (int i = 1; i < Batches.MAX_BATCH; i++) {
            batches.add(i);
        }
        assertThat(batches.add(0)).isEqualTo(Effect.WRITE);
        assertThat(batches.take()).hasSize(Batches.MAX_BATCH);
    }

    @Test
    void whatThereIsNoPlaceForIsDroppedAndCounted() {
        for (int i = 0; i < Batches.MAX_BATCH; i++) {
            batches.add(i);
        }
        batches.take();
        for (int i = 0; i < Batches.MAX_WAITING + 7; i++) {
            batches.add(i);
        }
        assertThat(batches.dropped()).isEqualTo(7);
        assertThat(batches.written()).isEqualTo(Effect.WRITE);
    }

    @Test
    void aCloseWritesWhatThereIsAndTakesNoMore() {
        batches.add(1);
        assertThat(batches.close()).isEqualTo(Effect.WRITE);
        assertThat(batches.take()).containsExactly(1);
        assertThat(batches.add(2)).isEqualTo(Effect.NOTHING);
        assertThat(batches.dropped()).isEqualTo(1);
        assertThat(batches.written()).isEqualTo(Effect.END);
        assertThat(batches.close()).isEqualTo(Effect.NOTHING);
    }

    @Test
    void everyCourseWritesOrCountsEachOnceAndEndsClosed() {
        for (int seed = 0; seed < 500; seed++) {
            Random random = new Random(seed);
            Batches<Integer> subject = new Batches<>();
            long added = 0;
            long written = 0;
            boolean onItsWay = false;
            boolean ended = false;
            for (int step = 0; step < 4_000 || !ended; step++) {
                boolean end = step >= 4_000;
                Effect effect;
                if (end) {
                    effect = onItsWay ? subject.written() : subject.close();
                    onItsWay = false;
                } else {
                    switch (random.nextInt(40)) {
                        case 0 -> effect = subject.timeIsUp();
                        case 1 -> {
                            effect = onItsWay ? subject.written() : Effect.NOTHING;
                            onItsWay = false;
                        }
                        default -> {
                            added++;
                            effect = subject.add(step);
                        }
                    }
                }
                if (effect == Effect.WRITE) {
                    assertThat(onItsWay).as("seed " + seed).isFalse();
                    written += subject.take().size();
                    onItsWay = true;
                }
                ended = effect == Effect.END;
            }
            assertThat(written + subject.dropped()).as("seed " + seed).isEqualTo(added);
        }
    }
}
