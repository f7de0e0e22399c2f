package io.recallgate.embedding;

import static org.assertj.core.api.Assertions.assertThat;

import io.recallgate.embedding.pool.PoolLimits;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.WorkerExecutor;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class LongLoadTest extends PoolTest {

    /** Where Vert.x logs threads that are busy for longer than they may be. */
    private static final String CHECKER = "io.vertx.core.impl.BlockedThreadChecker";

    private static final Duration SHORT = Duration.ofMillis(50);

    @Test
    void aLoadThatTakesLongerThanARunMayIsNotWarnedOf() {
        join(vertx.close());
        vertx = Vertx.vertx(new VertxOptions().setBlockedThreadCheckInterval(20));
        CountDownLatch loading = new CountDownLatch(1);
        models.holdLoads(loading);
        PoolLimits.Watchdogs watchdogs = PoolLimits.defaults(1).watchdogs();
        try (WrittenLog log = WrittenLog.of(CHECKER)) {
            deploy(limits(new PoolLimits.Watchdogs(
                    watchdogs.initialisation(),
                    watchdogs.dispatch(),
                    SHORT,
                    watchdogs.terminationGrace(),
                    watchdogs.exitGrace(),
                    watchdogs.drain())));
            while (models.loads() == 0) {
                Thread.onSpinWait();
            }
            // Begins after the load and may take as long as a run: once it is warned of, the load could have been.
            WorkerExecutor other =
                    vertx.createSharedWorkerExecutor("as-long", 1, SHORT.toMillis(), TimeUnit.MILLISECONDS);
            other.executeBlocking(() -> loading.await(30, TimeUnit.SECONDS));
            long patienceEndNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
            while (log.warnings().stream().noneMatch(line -> line.contains("as-long"))) {
                assertThat(System.nanoTime() - patienceEndNanos)
                        .as("nanoseconds that it may still take")
                        .isNegative();
                Thread.onSpinWait();
            }

            assertThat(log.warnings()).noneMatch(line -> line.contains("recallgate-embedding"));
            loading.countDown();
            join(pool.ready());
            // An executor that nobody refers to any more is closed when memory is collected, with what runs on it.
            join(other.close());
        }
    }

    private static PoolLimits limits(PoolLimits.Watchdogs watchdogs) {
        PoolLimits limits = PoolLimits.defaults(1);
        return new PoolLimits(
                limits.slots(),
                limits.expectedWorkerBytes(),
                limits.queue(),
                limits.slice(),
                watchdogs,
                limits.retry(),
                limits.retention());
    }
}
