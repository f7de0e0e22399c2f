/** The OpenAI dialect of embeddings: request decoding, response encoding and its two routes. */
@NullMarked
package io.recallgate.gateway.http.openai;

import org.jspecify.annotations.NullMarked;
