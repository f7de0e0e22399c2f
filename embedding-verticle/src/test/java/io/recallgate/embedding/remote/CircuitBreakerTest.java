package io.recallgate.embedding.remote;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.recallgate.embedding.remote.CircuitBreaker.Config;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CircuitBreakerTest {

    private static final Config CONFIG =
            new Config(3, Duration.ofSeconds(5), Duration.ofSeconds(60), Duration.ofSeconds(30));
    private static final long LIMIT = millis(2_500);

    /** Close to the wrap-around, as the clock of other tests. */
    private long now = Long.MAX_VALUE - millis(1_000);

    private final CircuitBreaker breaker = new CircuitBreaker(CONFIG, now);
    private long attempts;

    @Test
    void c10ThreeStallsInARowOpenItAndTheNextQueryIsRefusedAtOnce() {
        for (int i = 0; i < 2; i++) {
            assertThat(stall(LIMIT)).isEmpty();
        }
        assertThat(stall(LIMIT))
                .containsExactly(new BreakerEffect.Moved(BreakerState.CLOSED, BreakerState.OPEN, millis(5_000)));
        assertThat(ask()).containsExactly(new BreakerEffect.Refuse(millis(5_000)));
        now += millis(4_999);
        assertThat(ask()).containsExactly(new BreakerEffect.Refuse(millis(1)));
    }

    @ParameterizedTest(name = "{0} ms of a limit of {1} ms count: {2}")
    @CsvSource({
        "2500, 2500, true",
        "1000, 2500, true",
        "999, 2500, false",
        "300, 300, true",
        "270, 300, true",
        "269, 300, false",
        "1000, 600000, true",
        "0, 2500, false"
    })
    void onlyAnExpiryThatHadItsTimeCountsWhicheverClockFired(long hadMillis, long limitMillis, boolean counts) {
        for (int i = 0; i < 10; i++) {
            long attempt = admitted();
            tell(new BreakerEvent.Expired(attempt, millis(hadMillis), millis(limitMillis)));
            if (breaker.state() == BreakerState.OPEN) {
                break;
            }
        }
        assertThat(breaker.state()).isEqualTo(counts ? BreakerState.OPEN : BreakerState.CLOSED);
    }

    @Test
    void whatFailsQuicklyCostsNobodyAWaitAndNeverOpensIt() {
        for (int i = 0; i < 100; i++) {
            tell(new BreakerEvent.Failed(admitted(), millis(5), LIMIT));
        }
        assertThat(breaker.state()).isEqualTo(BreakerState.CLOSED);
        for (int i = 0; i < 3; i++) {
            tell(new BreakerEvent.Failed(admitted(), millis(1_200), LIMIT));
        }
        assertThat(breaker.state()).as("what fails slowly does cost one").isEqualTo(BreakerState.OPEN);
    }

    @Test
    void anAnswerInBetweenBeginsTheCountAnew() {
        stall(LIMIT);
        stall(LIMIT);
        tell(new BreakerEvent.Answered(admitted()));
        stall(LIMIT);
        stall(LIMIT);
        assertThat(breaker.state()).isEqualTo(BreakerState.CLOSED);
        assertThat(breaker.expiries()).isEqualTo(2);
    }

    @Test
    void c9AfterTheBackOffExactlyOneQueryProbesAndItsAnswerClosesIt() {
        open();
        now += millis(5_000);
        List<BreakerEffect> probe = ask();
        long attempt = attempts;
        assertThat(probe)
                .containsExactly(
                        new BreakerEffect.Moved(BreakerState.OPEN, BreakerState.HALF_OPEN, 0),
                        new BreakerEffect.Probe(millis(30_000)));
        for (int i = 0; i < 5; i++) {
            assertThat(ask()).hasSize(1).first().isInstanceOf(BreakerEffect.Refuse.class);
        }
        assertThat(tell(new BreakerEvent.Answered(attempt)))
                .containsExactly(new BreakerEffect.Moved(BreakerState.HALF_OPEN, BreakerState.CLOSED, 0));
        assertThat(ask()).containsExactly(new BreakerEffect.Admit());
    }

    @Test
    void aProbeInVainDoublesTheBackOffUpToItsMost() {
        open();
        for (long expected : new long[] {10_000, 20_000, 40_000, 60_000, 60_000}) {
            now += breaker.retryNanos(now);
            ask();
            now += millis(30_000);
            tell(new BreakerEvent.Expired(attempts, millis(30_000), LIMIT));
            assertThat(breaker.state()).isEqualTo(BreakerState.OPEN);
            assertThat(breaker.retryNanos(now)).isEqualTo(millis(expected));
        }
    }

    @Test
    void aProbeThatIsRefusedIsInVainHoweverQuickly() {
        open();
        now += millis(5_000);
        ask();
        assertThat(tell(new BreakerEvent.Failed(attempts, millis(1), LIMIT)))
                .containsExactly(new BreakerEffect.Moved(BreakerState.HALF_OPEN, BreakerState.OPEN, millis(10_000)));
    }

    @Test
    void aProviderThatAnswersOnlyProbesGetsNoShortBackOffAgain() {
        open();
        now += millis(5_000);
        ask();
        tell(new BreakerEvent.Failed(attempts, 0, LIMIT));
        now += millis(10_000);
        ask();
        tell(new BreakerEvent.Answered(attempts));
        open();
        assertThat(breaker.retryNanos(now)).isEqualTo(millis(10_000));
    }

    @Test
    void anAnswerInTimeMakesTheBackOffShortAgain() {
        open();
        now += millis(5_000);
        ask();
        tell(new BreakerEvent.Failed(attempts, 0, LIMIT));
        now += millis(10_000);
        ask();
        tell(new BreakerEvent.Answered(attempts));
        tell(new BreakerEvent.Answered(admitted()));
        open();
        assertThat(breaker.retryNanos(now)).isEqualTo(millis(5_000));
    }

    @Test
    void attemptsFromBeforeItClosedShowNothingAboutTheTimeAfter() {
        List<Long> old = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            old.add(admitted());
        }
        open();
        now += millis(5_000);
        ask();
        tell(new BreakerEvent.Answered(attempts));
        old.forEach(attempt -> tell(new BreakerEvent.Expired(attempt, LIMIT, LIMIT)));
        assertThat(breaker.state()).isEqualTo(BreakerState.CLOSED);
        assertThat(breaker.expiries()).isZero();
    }

    /** Every state with every event: what is not in the table leaves the state as it is. */
    @ParameterizedTest(name = "{0}, {1} -> {2}")
    @CsvSource({
        "CLOSED, asked, CLOSED",
        "CLOSED, answered, CLOSED",
        "CLOSED, failed, CLOSED",
        "CLOSED, expired, CLOSED",
        "CLOSED, third expiry, OPEN",
        "OPEN, asked, OPEN",
        "OPEN, asked after the back-off, HALF_OPEN",
        "OPEN, answered, OPEN",
        "OPEN, failed, OPEN",
        "OPEN, expired, OPEN",
        "HALF_OPEN, asked, HALF_OPEN",
        "HALF_OPEN, answered, HALF_OPEN",
        "HALF_OPEN, failed, HALF_OPEN",
        "HALF_OPEN, expired, HALF_OPEN",
        "HALF_OPEN, probe answered, CLOSED",
        "HALF_OPEN, probe failed, OPEN",
        "HALF_OPEN, probe expired, OPEN"
    })
    void theTableIsWhole(BreakerState from, String event, BreakerState to) {
        long earlier = admitted();
        if (from != BreakerState.CLOSED) {
            open();
        }
        if (from == BreakerState.HALF_OPEN) {
            now += millis(5_000);
            ask();
        }
        long probe = attempts;
        assertThat(breaker.state()).isEqualTo(from);
        switch (event) {
            case "asked" -> ask();
            case "asked after the back-off" -> {
                now += millis(5_000);
                ask();
            }
            case "answered" -> tell(new BreakerEvent.Answered(earlier));
            case "failed" -> tell(new BreakerEvent.Failed(earlier, LIMIT, LIMIT));
            case "expired" -> tell(new BreakerEvent.Expired(earlier, LIMIT, LIMIT));
            case "third expiry" -> open();
            case "probe answered" -> tell(new BreakerEvent.Answered(probe));
            case "probe failed" -> tell(new BreakerEvent.Failed(probe, 0, LIMIT));
            case "probe expired" -> tell(new BreakerEvent.Expired(probe, millis(30_000), LIMIT));
            default -> throw new IllegalArgumentException(event);
        }
        assertThat(breaker.state()).isEqualTo(to);
    }

    @Test
    void everyStateIsLeftAndReached() {
        Set<BreakerState> reached = new TreeSet<>();
        for (BreakerState state : BreakerState.values()) {
            assertThat(state.next()).isNotEmpty().doesNotContain(state);
            reached.addAll(state.next());
        }
        assertThat(reached).containsExactlyInAnyOrder(BreakerState.values());
    }

    /** Random providers and callers; a failing seed is in the message and replays alone. */
    @Test
    void randomHistoriesKeepItsPromises() {
        for (long seed = 0; seed < 10_000; seed++) {
            new History(seed).run();
        }
    }

    /** One random history, with a model of what was promised beside it. */
    private static final class History {
        private final long seed;
        private final Random random;
        private long now;
        private final CircuitBreaker breaker;
        private final Map<Long, Long> underWay = new HashMap<>();
        private long attempts;
        private long probe = -1;
        private int countedInARow;
        private long closedAfter;
        private long refuseUntil;

        History(long seed) {
            this.seed = seed;
            this.random = new Random(seed);
            this.now = random.nextLong();
            this.breaker = new CircuitBreaker(CONFIG, now);
        }

        void run() {
            for (int step = 0; step < 200; step++) {
                now += millis(random.nextInt(1_500));
                if (underWay.isEmpty() || random.nextInt(3) == 0) {
                    ask();
                } else {
                    List<Long> ids = new ArrayList<>(underWay.keySet());
                    end(ids.get(random.nextInt(ids.size())));
                }
            }
        }

        private void ask() {
            long attempt = ++attempts;
            BreakerState before = breaker.state();
            List<BreakerEffect> effects = breaker.on(new BreakerEvent.Asked(attempt), now);
            BreakerEffect verdict = effects.get(effects.size() - 1);
            if (verdict instanceof BreakerEffect.Refuse) {
                check(before != BreakerState.CLOSED, "refused while closed");
                check(probe != -1 || now - refuseUntil < 0, "refused after the back-off without a probe");
                return;
            }
            if (verdict instanceof BreakerEffect.Probe) {
                check(before == BreakerState.OPEN && probe == -1, "a second probe");
                check(now - refuseUntil >= 0, "a probe within the back-off");
                probe = attempt;
            } else {
                check(before == BreakerState.CLOSED, "admitted while " + before);
            }
            underWay.put(attempt, now);
        }

        private void end(long attempt) {
            long began = underWay.remove(attempt);
            long had = now - began;
            BreakerState before = breaker.state();
            int kind = random.nextInt(3);
            BreakerEvent event = kind == 0
                    ? new BreakerEvent.Answered(attempt)
                    : kind == 1
                            ? new BreakerEvent.Failed(attempt, had, LIMIT)
                            : new BreakerEvent.Expired(attempt, had, LIMIT);
            breaker.on(event, now);
            BreakerState after = breaker.state();
            if (attempt == probe) {
                check(before == BreakerState.HALF_OPEN, "the probe ended while " + before);
                check(after == (kind == 0 ? BreakerState.CLOSED : BreakerState.OPEN), "the probe did not decide");
                probe = -1;
                countedInARow = 0;
                closedAfter = after == BreakerState.CLOSED ? attempts : closedAfter;
            } else if (attempt <= closedAfter) {
                check(after == before, "what began before it closed moved it");
            } else if (kind == 0) {
                countedInARow = 0;
                check(after == before, "an answer moved it");
            } else if (had >= millis(1_000)) {
                countedInARow++;
                check(after == before || countedInARow >= CONFIG.expiries(), "opened too early");
            } else {
                check(after == before, "an impatient caller moved it");
            }
            if (after == BreakerState.OPEN && before != BreakerState.OPEN) {
                long wait = breaker.retryNanos(now);
                check(wait >= millis(5_000) && wait <= millis(60_000), "a back-off out of its bounds");
                refuseUntil = now + wait;
                countedInARow = 0;
            }
        }

        private void check(boolean holds, String what) {
            assertThat(holds).as("seed %d: %s", seed, what).isTrue();
        }
    }

    @Test
    void anEdgeThatIsNotInTheTableThrows() throws ReflectiveOperationException {
        var to = CircuitBreaker.class.getDeclaredMethod("to", BreakerState.class, long.class);
        to.setAccessible(true);
        assertThatThrownBy(() -> to.invoke(breaker, BreakerState.HALF_OPEN, now))
                .hasCauseInstanceOf(IllegalStateException.class);
    }

    private void open() {
        while (breaker.state() == BreakerState.CLOSED) {
            stall(LIMIT);
        }
    }

    private List<BreakerEffect> stall(long hadNanos) {
        return tell(new BreakerEvent.Expired(admitted(), hadNanos, LIMIT));
    }

    private long admitted() {
        assertThat(ask()).containsExactly(new BreakerEffect.Admit());
        return attempts;
    }

    private List<BreakerEffect> ask() {
        return tell(new BreakerEvent.Asked(++attempts));
    }

    private List<BreakerEffect> tell(BreakerEvent event) {
        return breaker.on(event, now);
    }

    private static long millis(long millis) {
        return Duration.ofMillis(millis).toNanos();
    }
}
