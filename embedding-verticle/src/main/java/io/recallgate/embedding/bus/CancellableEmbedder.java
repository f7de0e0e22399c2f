package io.recallgate.embedding.bus;

import io.recallgate.embedding.api.Embedder;
import io.recallgate.time.CancelSignal;
import io.vertx.core.Future;

/** An embedder that can tell what a cancellation found; the pool behind the bus. May be called on any thread. */
public interface CancellableEmbedder extends Embedder {

    /**
     * Fires the signal of a request, and tells where its work was at that moment.
     *
     * @param signal the one its request was made with
     * @return never fails; {@link CancelOutcome#SETTLED} if nobody waits with this signal
     */
    Future<CancelOutcome> cancel(CancelSignal signal);
}
