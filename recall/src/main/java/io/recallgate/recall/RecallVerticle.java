package io.recallgate.recall;

import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import org.jspecify.annotations.Nullable;

/**
 * {@link Recall} as a verticle, for applications that deploy it beside their own; they reach it over the event bus with
 * {@link io.recallgate.recall.bus.RecallClient}. One instance for each database and JVM.
 */
public final class RecallVerticle extends VerticleBase {

    private final RecallOptions options;
    private final Recall.Parts parts;
    private @Nullable Recall recall;

    /**
     * @param options fixed ones
     * @param parts what it takes from outside
     */
    public RecallVerticle(RecallOptions options, Recall.Parts parts) {
        this.options = options;
        this.parts = parts;
    }

    /** Fails with one line that says what is wrong with the database and what to do. */
    @Override
    public Future<?> start() {
        return Recall.start(vertx, options, parts).onSuccess(started -> recall = started);
    }

    @Override
    public Future<?> stop() {
        return recall == null ? Future.succeededFuture() : recall.close();
    }
}
