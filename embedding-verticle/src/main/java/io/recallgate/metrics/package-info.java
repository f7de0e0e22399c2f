/**
 * How metrics are declared and registered: every module lists its own as an enum of {@link
 * io.recallgate.metrics.Metric}, and nothing is registered that is not declared.
 */
@NullMarked
package io.recallgate.metrics;

import org.jspecify.annotations.NullMarked;
