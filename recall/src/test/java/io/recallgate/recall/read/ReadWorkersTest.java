package io.recallgate.recall.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.recallgate.failure.FailureCode;
import io.recallgate.recall.Await;
import io.recallgate.recall.read.ReadWorkers.Ask;
import io.recallgate.time.CancelCause;
import io.recallgate.time.CancelSignal;
import io.recallgate.time.Deadline;
import io.recallgate.time.FakeClock;
import io.recallgate.trace.CallContext;
import io.recallgate.trace.TraceContext;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ReadWorkersTest {

    private final FakeClock clock = new FakeClock();
    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private final ReadWorkers workers = new ReadWorkers(ReadLimits.DEFAULTS.with(2, 4), clock, clock, meters);
    private final CountDownLatch release = new CountDownLatch(1);

    @AfterEach
    void nothingIsLeft() {
        release.countDown();
        Await.result(workers.close());
        assertThat(clock.pending()).isZero();
    }

    @Test
    void aJobRunsOnAThreadOfItsOwnAndItsResultComesOnTheCallersContext() {
        Vertx vertx = Vertx.vertx();
        try {
            Context context = vertx.getOrCreateContext();
            Promise<List<Object>> seen = Promise.promise();
            context.runOnContext(ignored -> workers.run(in(1_000), Thread::currentThread)
                    .onComplete(done -> seen.complete(List.of(done.result(), Vertx.currentContext()))));
            List<Object> both = Await.result(seen.future());
            assertThat(((Thread) both.get(0)).getName()).startsWith("recallgate-read-");
            assertThat(both.get(1)).isSameAs(context);
        } finally {
            Await.result(vertx.close());
        }
    }

    @Test
    void aJobIsDoneForWhoeverAskedForIt() throws Exception {
        CallContext call = CallContext.of("r-1", TraceContext.fresh());

        assertThat(Await.result(CallContext.within(call, () -> workers.run(in(1_000), CallContext::current))))
                .isSameAs(call);
        assertThat(Await.result(workers.run(in(1_000), () -> CallContext.current() == null)))
                .as("and the next one on that thread is not")
                .isTrue();
    }

    @Test
    void whatAJobThrowsIsItsFailureAndTheWorkerGoesOn() {
        for (int i = 0; i < 5; i++) {
            Future<Object> failed = workers.run(in(1_000), () -> {
                throw new StackOverflowError("on purpose");
            });
            assertThat(Await.settled(failed).cause()).isInstanceOf(StackOverflowError.class);
        }
        assertThat(Await.result(workers.run(in(1_000), () -> 7))).isEqualTo(7);
        assertThat(jobs("foreground", "failed")).isEqualTo(5);
        assertThat(jobs("foreground", "done")).isEqualTo(1);
    }

    @Test
    void moreThanTheQueueHoldsIsRefusedWithAHintAndNeverRunByTheCaller() {
        List<Future<Thread>> taken = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            taken.add(workers.run(in(1_000), this::standing));
        }
        var refused = Await.failure(workers.run(in(1_000), Thread::currentThread), FailureCode.OVERLOADED);
        assertThat(refused.retryAfter()).isNotNull();
        release.countDown();
        taken.forEach(each -> assertThat(Await.result(each).getName())
                .startsWith("recallgate-read-")
                .isNotEqualTo(me()));
        assertThat(jobs("foreground", "overloaded")).isEqualTo(1);
    }

    @Test
    void aCallerIsAnsweredAtItsDeadlineWhileItsThreadStands() {
        Future<Thread> one = workers.run(in(100), this::standing);
        Future<Thread> other = workers.run(in(100), this::standing);
        Future<Thread> waits = workers.run(in(50), this::standing);
        clock.advanceMillis(50);
        Await.failure(waits, FailureCode.DEADLINE_EXCEEDED);
        assertThat(one.isComplete()).isFalse();
        clock.advanceMillis(50);
        Await.failure(one, FailureCode.DEADLINE_EXCEEDED);
        Await.failure(other, FailureCode.DEADLINE_EXCEEDED);
    }

    @Test
    void aThreadThatDoesNotReturnIsReplacedAndCountedUntilItDoes() {
        // Deaf to interrupts, as a computation is.
        CountDownLatch deaf = new CountDownLatch(1);
        for (int i = 0; i < 2; i++) {
            workers.run(in(100), () -> {
                while (deaf.getCount() > 0) {
                    Thread.onSpinWait();
                }
                return true;
            });
        }
        Future<Integer> behind = workers.run(in(60_000), () -> 7);
        clock.advanceMillis(100);
        assertThat(behind.isComplete()).isFalse();
        clock.advanceMillis(2_000);
        assertThat(Await.result(behind)).isEqualTo(7);
        assertThat(meters.get("recallgate.read.retired").gauge().value()).isEqualTo(2);
        assertThat(meters.get("recallgate.read.retirements").counter().count()).isEqualTo(2);
        deaf.countDown();
        Await.until(
                "both are back",
                () -> meters.get("recallgate.read.retired").gauge().value() == 0);
    }

    @Test
    void aSignalEndsAJobThatWaitsAndOneThatRunsAndOneThatWasNeverWanted() {
        CancelSignal signal = new CancelSignal();
        Ask ask = Ask.until(in(60_000)).cancelledBy(new CancelSignal()).cancelledBy(signal);
        List<Future<Thread>> all = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            all.add(workers.run(ask, this::standing));
        }
        signal.cancel(CancelCause.DISCONNECTED);
        all.add(workers.run(ask, this::standing));
        all.forEach(each -> Await.failure(each, FailureCode.CANCELLED));
        release.countDown();
        assertThat(Await.result(workers.run(in(1_000), () -> 7))).isEqualTo(7);
    }

    @Test
    void exportsWaitInTheBackground() {
        workers.run(in(60_000), this::standing);
        workers.run(in(60_000), this::standing);
        List<String> order = new java.util.concurrent.CopyOnWriteArrayList<>();
        Ask background = Ask.until(in(60_000)).in(Lane.BACKGROUND, 1_000);
        Future<Boolean> export = workers.run(background, () -> order.add("export"));
        Future<Boolean> recall = workers.run(in(60_000), () -> order.add("recall"));
        assertThat(meters.get("recallgate.read.waiting")
                        .tag("lane", "background")
                        .gauge()
                        .value())
                .isEqualTo(1);
        assertThat(meters.get("recallgate.read.waiting.bytes")
                        .tag("lane", "background")
                        .gauge()
                        .value())
                .isEqualTo(1_000);
        release.countDown();
        Await.result(export);
        Await.result(recall);
        assertThat(order).hasSize(2);
        assertThat(meters.get("recallgate.read.wait.duration")
                        .tag("lane", "background")
                        .timer()
                        .count())
                .isEqualTo(1);
        assertThat(meters.get("recallgate.read.run.duration")
                        .tag("lane", "background")
                        .timer()
                        .count())
                .isEqualTo(1);
    }

    @Test
    void aCloseAnswersEverybodyAndWaitsForTheThreadsOnlyForAWhile() {
        Future<Thread> runs = workers.run(in(60_000), () -> {
            while (release.getCount() > 0) {
                Thread.onSpinWait();
            }
            return Thread.currentThread();
        });
        Future<Void> closed = workers.close();
        Await.failure(runs, FailureCode.SHUTTING_DOWN);
        Await.failure(workers.run(in(1_000), () -> 7), FailureCode.SHUTTING_DOWN);
        assertThat(closed.isComplete()).isFalse();
        clock.advanceMillis(2_000);
        Await.result(closed);
        release.countDown();
        Await.until(
                "the thread is back",
                () -> meters.get("recallgate.read.running").gauge().value() == 0);
    }

    private Thread standing() throws InterruptedException {
        release.await();
        return Thread.currentThread();
    }

    private static String me() {
        return Thread.currentThread().getName();
    }

    private Deadline in(long millis) {
        return Deadline.afterMillis(clock, millis);
    }

    private double jobs(String lane, String outcome) {
        return meters.get("recallgate.read.jobs")
                .tags("lane", lane, "outcome", outcome)
                .counter()
                .count();
    }
}
