package io.recallgate.embedding;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.recallgate.failure.FailureException;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class OffLoopTest {

    @Test
    void workRunsOnAWorkerThread() {
        Vertx vertx = Vertx.vertx();

        boolean onWorker = OffLoop.run(vertx.getOrCreateContext(), Context::isOnWorkerThread)
                .await();
        vertx.close().await();

        assertThat(onWorker).isTrue();
    }

    @Test
    void afterVertxHasClosedTheAnswerIsAFailureAndNothingIsThrown() {
        Vertx vertx = Vertx.vertx();
        Context context = vertx.getOrCreateContext();
        vertx.close().await();

        Future<String> answer = OffLoop.run(context, () -> "too late");

        assertThat(answer.failed()).isTrue();
    }

    @Test
    void largeWorkThatVertxDoesNotTakeGivesItsBytesBack() throws Exception {
        Vertx vertx = Vertx.vertx();
        Context context = vertx.getOrCreateContext();
        LargeWork large = new LargeWork(context, Runnable::run, 100);
        vertx.close().await();
        Callable<String> look = () -> "too late";

        for (int i = 0; i < 2; i++) {
            CompletableFuture<String> looked =
                    large.run(80, look).toCompletionStage().toCompletableFuture();

            // The second time by the same cause, and not since the first one still counted.
            assertThatThrownBy(() -> looked.get(1, TimeUnit.MINUTES))
                    .hasCauseInstanceOf(Exception.class)
                    .cause()
                    .isNotInstanceOf(FailureException.class);
        }
    }
}
