package io.recallgate.embedding.api;

import io.vertx.core.Future;

/**
 * Turns text into vectors. The local pool, the event-bus client and remote providers all implement it with the same
 * outcomes, so that callers need not know which one they have.
 */
public interface Embedder {

    /**
     * Embeds all inputs or fails as a whole. May be called on any thread; the future completes on the caller's Vert.x
     * context when it has one.
     *
     * <p>Settles exactly once and no later than shortly after the request's deadline. A caller that cancels or runs
     * into its deadline loses only its own interest: the work of others, and the worker, go on.
     *
     * @return fails with a {@link io.recallgate.failure.FailureException}: {@code overloaded}, {@code work-too-large},
     *     {@code deadline-exceeded}, {@code cancelled}, {@code shutting-down}, {@code quarantined}, {@code
     *     model-unusable}, {@code embedding-failed}, {@code embedding-unavailable} or {@code no-embedding-provider}
     */
    Future<EmbedResult> embed(EmbedRequest request);

    /**
     * The model that answers now.
     *
     * @return fails with {@code no-embedding-provider}, {@code not-ready} or {@code model-unusable}
     */
    Future<ModelIdentity> model();
}
