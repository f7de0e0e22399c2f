/**
 * What a write costs its caller while the embedder stands still: a whole gateway with its durable PostgreSQL, over HTTP.
 * Run by {@code ./recallgate bench write}.
 */
@NullMarked
package io.recallgate.bench.write;

import org.jspecify.annotations.NullMarked;
