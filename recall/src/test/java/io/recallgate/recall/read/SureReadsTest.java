package io.recallgate.recall.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.recallgate.time.Deadline;
import io.recallgate.time.FakeClock;
import io.vertx.core.Future;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class SureReadsTest {

    private final FakeClock clock = new FakeClock();
    private final ReadWorkers workers =
            new ReadWorkers(ReadLimits.DEFAULTS.with(1, 8), clock, clock, new SimpleMeterRegistry());
    private final SureReads reads = new SureReads(workers, clock);
    private final CountDownLatch stuck = new CountDownLatch(1);
    private final AtomicInteger done = new AtomicInteger();

    @AfterEach
    void letGo() throws Exception {
        stuck.countDown();
        await(workers.close());
        assertThat(clock.pending()).isZero();
    }

    @Test
    void whatAReadWorkerDoesInTimeIsDoneOnce() throws Exception {
        assertThat(await(reads.run(ask(), done::incrementAndGet))).isEqualTo(1);

        clock.advanceMillis(2 * SureReads.PATIENCE_MILLIS);
        assertThat(done).hasValue(1);
    }

    @Test
    void whatWaitsBehindAStuckReadIsDoneByASpareThreadAndTakenBack() throws Exception {
        Future<Boolean> before = workers.run(ask(), () -> stuck.await(1, TimeUnit.MINUTES));
        Future<Integer> sure = reads.run(ask(), done::incrementAndGet);

        clock.advanceMillis(SureReads.PATIENCE_MILLIS - 1);
        assertThat(sure.isComplete()).isFalse();
        clock.advanceMillis(1);

        assertThat(await(sure)).isEqualTo(1);
        stuck.countDown();
        await(before);
        await(workers.run(ask(), () -> "behind all"));
        assertThat(done).hasValue(1);
    }

    @Test
    void aFailureOfASpareThreadIsTheResult() {
        workers.run(ask(), () -> stuck.await(1, TimeUnit.MINUTES));
        Future<Object> sure = reads.run(ask(), () -> {
            throw new IllegalStateException("as it is");
        });

        clock.advanceMillis(SureReads.PATIENCE_MILLIS);

        assertThat(sure.toCompletionStage().toCompletableFuture())
                .failsWithin(30, TimeUnit.SECONDS)
                .withThrowableThat()
                .withMessageContaining("as it is");
    }

    private ReadWorkers.Ask ask() {
        return ReadWorkers.Ask.until(Deadline.afterMillis(clock, 60_000));
    }

    private static <T> T await(Future<T> future) throws Exception {
        return future.toCompletionStage().toCompletableFuture().get(30, TimeUnit.SECONDS);
    }
}
