/**
 * Recall itself: words and meaning started together, fused, and answered by the deadline whatever becomes of the
 * meaning. Everything that was left out is labelled, once in the answer, once in the log and once in a metric.
 */
@NullMarked
package io.recallgate.recall.search;

import org.jspecify.annotations.NullMarked;
