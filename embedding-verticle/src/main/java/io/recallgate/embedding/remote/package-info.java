/**
 * The remote provider: any server that speaks OpenAI's {@code /v1/embeddings}. {@link
 * io.recallgate.embedding.remote.RemoteVerticle} is to be deployed; it implements the same interfaces as the local pool,
 * with the same outcomes.
 *
 * <p>What decides is in plain classes that are told what happens and when: {@link
 * io.recallgate.embedding.remote.CircuitBreaker} (whether queries are worth asking), {@code Lanes} (who may use a
 * connection), {@code BatchPlan} (what goes into one request). {@code RemoteEmbedder} does what they say, on one context.
 */
@NullMarked
package io.recallgate.embedding.remote;

import org.jspecify.annotations.NullMarked;
