package io.recallgate.recall.database;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class PoolQueueTest {

    private final PoolQueue turns = new PoolQueue(2, 3);
    private final List<String> ran = new ArrayList<>();

    @Test
    void asManyAsThereAreConnectionsGoAtOnceAndTheOthersInTheOrderTheyCame() {
        for (String name : List.of("a", "b", "c", "d", "e")) {
            assertThat(turns.take(turn(name))).isTrue();
        }
        assertThat(ran).containsExactly("a", "b");

        turns.over();
        turns.over();
        turns.over();

        assertThat(ran).containsExactly("a", "b", "c", "d", "e");
    }

    @Test
    void tooManyAreRefusedAndTheirTurnNeverComes() {
        for (String name : List.of("a", "b", "c", "d", "e")) {
            turns.take(turn(name));
        }
        assertThat(turns.take(turn("f"))).isFalse();

        for (int i = 0; i < 5; i++) {
            turns.over();
        }

        assertThat(ran).doesNotContain("f").hasSize(5);
        assertThat(turns.take(turn("g"))).isTrue();
        assertThat(ran).contains("g");
    }

    @Test
    void whoeverLeavesTheQueueMakesRoomAtOnce() {
        Runnable leaver = turn("leaver");
        for (Runnable one : List.of(turn("a"), turn("b"), leaver, turn("c"), turn("d"))) {
            turns.take(one);
        }

        assertThat(turns.withdraw(leaver)).isTrue();
        assertThat(turns.withdraw(leaver)).isFalse();
        assertThat(turns.take(turn("e"))).isTrue();
        turns.over();

        assertThat(ran).containsExactly("a", "b", "c");
    }

    @Test
    void whoseTurnHasComeCannotWithdraw() {
        Runnable first = turn("a");
        turns.take(first);

        assertThat(turns.withdraw(first)).isFalse();
    }

    @Test
    void threadsNeverGetMoreTurnsThanThereAreAndLoseNone() throws Exception {
        PoolQueue few = new PoolQueue(3, 100_000);
        AtomicInteger atOnce = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        ExecutorService workers = Executors.newFixedThreadPool(4);
        ExecutorService threads = Executors.newFixedThreadPool(4);
        CountDownLatch all = new CountDownLatch(4 * 2_000);
        for (int i = 0; i < 4; i++) {
            threads.execute(() -> {
                for (int j = 0; j < 2_000; j++) {
                    few.take(() -> {
                        most.accumulateAndGet(atOnce.incrementAndGet(), Math::max);
                        workers.execute(() -> {
                            atOnce.decrementAndGet();
                            all.countDown();
                            few.over();
                        });
                    });
                }
            });
        }

        assertThat(all.await(60, TimeUnit.SECONDS)).isTrue();
        assertThat(most.get()).isLessThanOrEqualTo(3);
        threads.shutdown();
        workers.shutdown();
    }

    private Runnable turn(String name) {
        return () -> ran.add(name);
    }
}
