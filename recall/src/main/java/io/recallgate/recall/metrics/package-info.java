/** The metrics of memories, their jobs and recall. */
@NullMarked
package io.recallgate.recall.metrics;

import org.jspecify.annotations.NullMarked;
