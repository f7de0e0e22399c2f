/**
 * The gateway over HTTP: native routes, the OpenAI-compatible embeddings, operations and health, assembled into one
 * Vert.x router by {@link io.recallgate.gateway.http.HttpApi}.
 */
@NullMarked
package io.recallgate.gateway.http;

import org.jspecify.annotations.NullMarked;
