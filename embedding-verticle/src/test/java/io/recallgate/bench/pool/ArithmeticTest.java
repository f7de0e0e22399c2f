package io.recallgate.bench.pool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import org.junit.jupiter.api.Test;

/** What the report says is worked out rightly from what was measured. */
class ArithmeticTest {

    private static final long SECOND = 1_000_000_000;

    @Test
    void aPercentileIsTheSmallestValueThatSoManyDoNotExceed() {
        Samples hundred = new Samples();
        for (int i = 100; i >= 1; i--) {
            hundred.add(i);
        }
        assertThat(hundred.median()).isEqualTo(50);
        assertThat(hundred.quantile(0.99)).isEqualTo(99);
        assertThat(hundred.quantile(0.991)).isEqualTo(100);
        assertThat(of(3, 1, 2).median()).isEqualTo(2);
        assertThat(of(7).quantile(0.01)).isEqualTo(7);
        assertThatThrownBy(new Samples()::median).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void ratiosAreTakenRoundByRoundAndNotOfTheMedians() {
        Samples pool = of(10, 40, 90);
        Samples bare = of(20, 50, 60);
        assertThat(pool.over(bare).median()).isEqualTo(0.8);
        assertThat(pool.over(of(20, 50, 60).orBetter(of(25, 10, 90))).median()).isEqualTo(0.8);
        assertThat(pool.over(of(20, 50, 60).orBetter(of(25, 10, 90))).quantile(1))
                .isEqualTo(1);
        assertThatThrownBy(() -> pool.over(of(1, 2))).hasMessageContaining("3 rounds against 2");
    }

    @Test
    void theTrendIsTheStraightLineThroughAllSamples() {
        assertThat(of(1, 3, 5, 7).slope()).isEqualTo(2, within(1e-9));
        assertThat(of(5, 9, 5, 9, 5).slope()).isEqualTo(0, within(1e-9));
        assertThat(of(4).slope()).isZero();
    }

    @Test
    void whatWasTakenFromSamplesIsNotCountedAgain() {
        Samples samples = of(1, 2);
        assertThat(samples.takeAll().size()).isEqualTo(2);
        samples.add(9);
        assertThat(samples.takeAll().median()).isEqualTo(9);
    }

    @Test
    void aRateCountsNeitherTheFirstTextsOwnTimeNorWhatComesAfterTheEnd() {
        Feed feed = new Feed(List.of("a"), 100 * SECOND);
        feed.done(8, 10 * SECOND);
        feed.done(8, 11 * SECOND);
        assertThatThrownBy(feed::rate).hasMessageContaining("2 answers");
        feed.done(8, 12 * SECOND);
        feed.done(8, 16 * SECOND);
        feed.done(8, 100 * SECOND);
        assertThat(feed.rate()).isEqualTo(4, within(1e-9));
    }

    @Test
    void aFeedGivesTextsInTurnAndNothingOnceItIsOver() {
        Feed feed = new Feed(List.of("a", "b", "c", "d"), 100 * SECOND);
        assertThat(feed.take(2)).containsExactly("a", "b");
        assertThat(feed.take(2)).containsExactly("c", "d");
        assertThat(feed.take(1)).containsExactly("a");
        for (int answer = 0; answer < 4; answer++) {
            feed.done(1, (200 + answer) * SECOND);
            assertThat(feed.take(1)).as("a rate needs more answers").isNotEmpty();
        }
        feed.done(1, 300 * SECOND);
        assertThat(feed.take(1)).isEmpty();
        assertThat(feed.rate()).as("late, but all the same").isEqualTo(1, within(1e-9));
    }

    @Test
    void aGoalIsMetAtItsBoundAndMissedBeyond() {
        assertThat(Figure.atLeast("", 0.97, 0.97).met()).isTrue();
        assertThat(Figure.atLeast("", 0.97, 0.969).met()).isFalse();
        assertThat(Figure.atMostMillis("", 5, 5).met()).isTrue();
        assertThat(Figure.atMostMillis("", 5, 5.01).met()).isFalse();
        assertThat(Figure.atMostMillis("", 5, 5.01).value()).isEqualTo("5.01 ms");
    }

    private static Samples of(double... values) {
        Samples samples = new Samples();
        for (double value : values) {
            samples.add(value);
        }
        return samples;
    }
}
