package io.recallgate.caller;

import static org.assertj.core.api.Assertions.assertThat;

import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class CallerTest {

    private final Vertx vertx = Vertx.vertx();

    @AfterEach
    void close() {
        vertx.close().await();
    }

    @Test
    void codeOnAContextIsAnsweredOnIt() throws Exception {
        Context context = vertx.getOrCreateContext();
        CompletableFuture<Context> answeredOn = new CompletableFuture<>();

        context.runOnContext(ignored -> {
            Caller caller = Caller.of(vertx);
            new Thread(() -> caller.answer(() -> answeredOn.complete(Vertx.currentContext()))).start();
        });

        assertThat(answeredOn.get(1, TimeUnit.MINUTES)).isSameAs(context);
    }

    @Test
    void aThreadOutsideOfVertxIsAnsweredOnAnEventLoopAndNotByWhoeverHasTheAnswer() throws Exception {
        Caller caller = Caller.of(vertx);
        CompletableFuture<Boolean> onEventLoop = new CompletableFuture<>();

        caller.answer(() -> onEventLoop.complete(Context.isOnEventLoopThread()));

        assertThat(onEventLoop.get(1, TimeUnit.MINUTES)).isTrue();
    }

    @Test
    void aThreadThatOnceUsedAClosedVertxIsAnsweredByThisOne() throws Exception {
        Vertx before = Vertx.vertx();
        CompletableFuture<Void> used = new CompletableFuture<>();
        before.runOnContext(ignored -> used.complete(null));
        used.get(1, TimeUnit.MINUTES);
        before.getOrCreateContext();
        before.close().await();
        CompletableFuture<Vertx> answeredBy = new CompletableFuture<>();

        Caller.of(vertx).answer(() -> answeredBy.complete(Vertx.currentContext().owner()));

        assertThat(answeredBy.get(1, TimeUnit.MINUTES)).isSameAs(vertx);
    }

    @Test
    void aCallerWhoseContextIsGoneIsAnsweredHereAndWhatItThrowsStaysThere() {
        Vertx closed = Vertx.vertx();
        Caller caller = Caller.of(closed);
        closed.close().await();
        CompletableFuture<Thread> answered = new CompletableFuture<>();

        caller.answer(() -> {
            answered.complete(Thread.currentThread());
            throw new AssertionError("as from a handler");
        });

        assertThat(answered).isCompletedWithValue(Thread.currentThread());
    }

    @Test
    void whateverAQuestionThrowsIsAnAnswer() {
        Future<Void> answer = Caller.of(vertx).ask(Runnable::run, () -> {
            throw new StackOverflowError();
        });

        assertThat(answer.transform(done -> Future.succeededFuture(done.cause()))
                        .await())
                .isInstanceOfSatisfying(FailureException.class, failure -> assertThat(failure.code())
                        .isEqualTo(FailureCode.INTERNAL));
    }
}
