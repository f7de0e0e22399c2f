package io.recallgate.embedding.remote;

import io.recallgate.failure.FailureException;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Between the callers' contexts and the one on which everything of a provider happens. Thread-safe. */
final class Callers {

    private static final Logger LOG = LoggerFactory.getLogger(Callers.class);

    private final Vertx vertx;
    private final Context own;

    Callers(Vertx vertx, Context own) {
        this.vertx = vertx;
        this.own = own;
    }

    /** Runs on our own context, never inside this call: what is being done there is done first. */
    void run(Runnable action) {
        own.runOnContext(ignored -> action.run());
    }

    /** The context to answer the calling code on, null if it has none that takes anything. */
    @Nullable
    Context caller() {
        Context current = Vertx.currentContext();
        boolean alive = current != null && (Context.isOnVertxThread() || current.owner() == vertx);
        return alive ? current : null;
    }

    /** Asks something on our own context and answers on the caller's. */
    <T> Future<T> ask(Supplier<Future<T>> question) {
        Promise<T> promise = Promise.promise();
        Context caller = caller();
        run(() -> asked(question).onComplete(answer -> answer(caller, () -> promise.handle(answer))));
        return promise.future();
    }

    /** Answers on the caller's context, or here if it has none that takes anything any more. */
    static void answer(@Nullable Context caller, Runnable answer) {
        if (caller != null) {
            try {
                caller.runOnContext(ignored -> answer.run());
                return;
            } catch (RuntimeException gone) {
                LOG.debug("a caller is gone before its answer", gone);
            }
        }
        answer.run();
    }

    private static <T> Future<T> asked(Supplier<Future<T>> question) {
        try {
            return question.get();
        } catch (RuntimeException e) {
            return Future.failedFuture(FailureException.of(e));
        }
    }
}
