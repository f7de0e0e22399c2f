package io.recallgate.recall.jobs;

import io.recallgate.embedding.api.Embedder;
import io.recallgate.embedding.api.ModelIdentity;
import io.vertx.core.Future;
import org.jspecify.annotations.Nullable;

/** The model whose vectors count now. Remembers the last answer, so that reads need not wait for it. Thread-safe. */
public final class ActiveModel {

    private final Embedder embedder;
    private volatile @Nullable ModelIdentity known;

    /** @param embedder whose model it is */
    public ActiveModel(Embedder embedder) {
        this.embedder = embedder;
    }

    /** Asks the embedder; fails as {@link Embedder#model()} does, and then keeps what was known. */
    public Future<ModelIdentity> refresh() {
        return embedder.model().onSuccess(model -> known = model);
    }

    /** The last answer, or a first one. */
    Future<ModelIdentity> recent() {
        ModelIdentity model = known;
        return model == null ? refresh() : Future.succeededFuture(model);
    }

    /** The last answer's fingerprint, null before the first. */
    public @Nullable String fingerprint() {
        ModelIdentity model = known;
        return model == null ? null : model.fingerprint();
    }
}
