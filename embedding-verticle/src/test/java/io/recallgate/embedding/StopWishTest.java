package io.recallgate.embedding;

import static org.assertj.core.api.Assertions.assertThat;

import io.recallgate.embedding.StopWish.Meaning;
import io.recallgate.time.FakeClock;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class StopWishTest {

    private final FakeClock clock = new FakeClock();
    private final StopWish wish = new StopWish(clock);

    @Test
    void aSignalThatArrivesTwiceIsOneWish() {
        assertThat(wish.signalled()).isEqualTo(Meaning.BEGIN);
        assertThat(wish.signalled()).isEqualTo(Meaning.SAME);
        clock.advance(Duration.ofMillis(999));
        assertThat(wish.signalled()).isEqualTo(Meaning.SAME);
    }

    @Test
    void aSignalLaterThanASecondHalts() {
        wish.signalled();
        clock.advance(Duration.ofMillis(1_001));

        assertThat(wish.signalled()).isEqualTo(Meaning.HALT);
    }

    @Test
    void repetitionsDoNotProlongTheSecond() {
        wish.signalled();
        clock.advance(Duration.ofMillis(800));
        wish.signalled();
        clock.advance(Duration.ofMillis(800));

        assertThat(wish.signalled()).isEqualTo(Meaning.HALT);
    }
}
