package io.recallgate.embedding;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.recallgate.trace.CallContext;
import io.recallgate.trace.TraceContext;
import io.vertx.core.Vertx;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class TurnsTest {

    private final Vertx vertx = Vertx.vertx();
    private final Turns turns = new Turns(vertx.getOrCreateContext());

    @AfterEach
    void close() {
        vertx.close().await();
    }

    @Test
    void aTaskRunsAtOnceOnTheThreadThatBringsItWhileNobodyHasTheTurn() {
        List<Thread> threads = new ArrayList<>();

        turns.execute(() -> threads.add(Thread.currentThread()));

        assertThat(threads).containsExactly(Thread.currentThread());
    }

    @Test
    void aTaskThatIsBroughtInATurnRunsAfterItAndNotInside() {
        List<String> order = new ArrayList<>();

        turns.execute(() -> {
            turns.execute(() -> order.add("second"));
            order.add("first");
        });

        assertThat(order).containsExactly("first", "second");
    }

    @Test
    void whoeverHasTheTurnRunsWhatOthersBringAndTheyDoNotWait() throws Exception {
        CountDownLatch inside = new CountDownLatch(1);
        CountDownLatch brought = new CountDownLatch(1);
        CompletableFuture<Thread> ranBy = new CompletableFuture<>();
        Thread holder = new Thread(() -> turns.execute(() -> {
            inside.countDown();
            await(brought);
        }));
        holder.start();
        await(inside);

        // Returns although the turn is taken: else the latch below would never open.
        turns.execute(() -> ranBy.complete(Thread.currentThread()));
        assertThat(ranBy).isNotDone();
        brought.countDown();

        assertThat(ranBy.get(30, TimeUnit.SECONDS)).isEqualTo(holder);
    }

    @Test
    void tasksOfManyThreadsRunOneAtATimeAndEachThreadsInItsOrder() throws Exception {
        int perThread = 5_000;
        int[] last = {-1, -1, -1, -1};
        int[] ran = new int[1];
        AtomicInteger inside = new AtomicInteger();
        List<String> wrong = new ArrayList<>();
        CountDownLatch all = new CountDownLatch(last.length * perThread);
        for (int t = 0; t < last.length; t++) {
            int me = t;
            new Thread(() -> {
                        for (int i = 0; i < perThread; i++) {
                            int number = i;
                            turns.execute(() -> {
                                if (inside.incrementAndGet() != 1 || last[me] != number - 1) {
                                    wrong.add(me + "/" + number);
                                }
                                last[me] = number;
                                ran[0]++;
                                inside.decrementAndGet();
                                all.countDown();
                            });
                        }
                    })
                    .start();
        }
        await(all);

        assertThat(wrong).isEmpty();
        assertThat(ran[0]).isEqualTo(last.length * perThread);
    }

    @Test
    void aThreadIsNotKeptForMoreThanItsShareOfWhatOthersBring() throws Exception {
        int tasks = Turns.MAX_TASKS + 10;
        List<Thread> threads = new ArrayList<>();
        CompletableFuture<Void> end = new CompletableFuture<>();

        turns.execute(() -> {
            for (int i = 1; i < tasks; i++) {
                turns.execute(() -> threads.add(Thread.currentThread()));
            }
            turns.execute(() -> end.complete(null));
        });

        end.get(30, TimeUnit.SECONDS);
        assertThat(threads).hasSize(tasks - 1);
        assertThat(threads.subList(0, Turns.MAX_TASKS - 1)).containsOnly(Thread.currentThread());
        assertThat(threads.subList(Turns.MAX_TASKS - 1, tasks - 1)).doesNotContain(Thread.currentThread());
    }

    @Test
    void aTaskThatThrowsTakesNobodysTurn() {
        List<String> ran = new ArrayList<>();

        turns.execute(() -> {
            turns.execute(() -> ran.add("next"));
            throw new AssertionError("as from a handler of a caller");
        });
        turns.execute(() -> ran.add("later"));

        assertThat(ran).containsExactly("next", "later");
    }

    @Test
    void whatCannotEvenBeLoggedTakesNobodysTurn() {
        List<String> order = new ArrayList<>();

        turns.execute(() -> {
            turns.execute(() -> order.add("brought inside"));
            throw new IllegalStateException() {
                @Override
                public String getMessage() {
                    throw new StackOverflowError("while it is logged");
                }
            };
        });
        turns.execute(() -> order.add("next"));

        assertThat(order).containsExactly("brought inside", "next");
    }

    @Test
    void whatIsDoneForAnotherIsNotLoggedUnderTheRequestThatTheThreadIsAt() throws Exception {
        CallContext mine = CallContext.of("mine", TraceContext.fresh());
        List<CallContext> seen = new ArrayList<>();

        CallContext.within(mine, () -> {
            turns.execute(() -> seen.add(CallContext.current()));
            return seen.add(CallContext.current());
        });

        assertThat(seen).containsExactly(null, mine);
    }

    @Test
    void thePoolsStateIsNotTouchedOutsideOfATurn() {
        turns.execute(turns::require);

        assertThatThrownBy(turns::require).isInstanceOf(IllegalStateException.class);
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(30, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
