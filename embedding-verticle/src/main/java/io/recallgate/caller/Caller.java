package io.recallgate.caller;

import io.recallgate.failure.FailureException;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.internal.ContextInternal;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Code that asks for something, and the context that it is answered on. Its handlers then run where its other code does,
 * and what they do holds up neither whoever answers nor other callers. Immutable; thread-safe.
 */
public final class Caller {

    private static final Logger LOG = LoggerFactory.getLogger(Caller.class);

    private final Context context;

    private Caller(Context context) {
        this.context = context;
    }

    /**
     * The calling code. For a thread outside of Vert.x this is a context on an event loop that the thread keeps, as with
     * everything that Vert.x itself does for such a thread. One that it once used may belong to an instance that is closed
     * since, on which nothing would ever run.
     *
     * @param vertx whose event loops serve callers without a context
     */
    public static Caller of(Vertx vertx) {
        Context current = Vertx.currentContext();
        boolean alive = current != null && (Context.isOnVertxThread() || current.owner() == vertx);
        return new Caller(current != null && alive ? current : vertx.getOrCreateContext());
    }

    /** A promise that completes on the context of the calling code, for a thread outside of Vert.x where it is completed. */
    public static <T> Promise<T> promise() {
        Context current = Context.isOnVertxThread() ? Vertx.currentContext() : null;
        return current == null ? Promise.promise() : ((ContextInternal) current).promise();
    }

    /**
     * Runs {@code answer} on the caller's context. Where that takes nothing any more, as that of a worker that was
     * undeployed, it runs here: its caller is answered all the same. Throws nothing.
     */
    public void answer(Runnable answer) {
        try {
            context.runOnContext(ignored -> answer.run());
        } catch (RuntimeException gone) {
            LOG.debug("a caller is gone before its answer", gone);
            here(answer);
        }
    }

    private static void here(Runnable answer) {
        try {
            answer.run();
        } catch (RuntimeException | Error e) {
            tell("a caller could not be answered", e);
        }
    }

    /**
     * Asks something where {@code place} runs it.
     *
     * @return completes on the caller's context; whatever asking throws is a failure of it
     */
    public <T> Future<T> ask(Executor place, Supplier<Future<T>> question) {
        Promise<T> promise = Promise.promise();
        place.execute(() -> asked(question).onComplete(answer -> answer(() -> promise.handle(answer))));
        return promise.future();
    }

    private static <T> Future<T> asked(Supplier<Future<T>> question) {
        try {
            return question.get();
        } catch (RuntimeException | Error e) {
            return Future.failedFuture(FailureException.of(e));
        }
    }

    /**
     * Logs what was thrown, and outlives what logging throws: out of memory, or a message that cannot be built.
     *
     * @param what failed, in words
     */
    public static void tell(String what, Throwable thrown) {
        try {
            LOG.error(what, thrown);
        } catch (RuntimeException | Error e) {
            if (e != thrown) {
                thrown.addSuppressed(e);
            }
        }
    }
}
