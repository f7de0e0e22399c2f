package io.recallgate.recall.api;

import io.vertx.core.Future;

/** Recalls memories: the one entry point behind HTTP, event bus, conversations and command line. */
public interface RecallService {

    /**
     * Recalls what matters for the query. May be called on any thread. Trouble with embeddings or the vector index
     * degrades the answer and labels it; it never fails it, and never holds it past the request's deadline.
     *
     * @return fails with a {@link io.recallgate.failure.FailureException}: {@code database-unavailable}, {@code
     *     deadline-exceeded} (even the lexical leg had no time), {@code cancelled}, {@code shutting-down}
     */
    Future<RecallResponse> recall(Scope scope, RecallRequest request);
}
