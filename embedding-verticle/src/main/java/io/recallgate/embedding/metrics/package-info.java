/** The metrics of the pool and of the remote provider. */
@NullMarked
package io.recallgate.embedding.metrics;

import org.jspecify.annotations.NullMarked;
