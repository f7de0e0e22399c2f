/** Figures: percentiles of spans, and what a gateway's metrics say about itself. */
@NullMarked
package io.recallgate.gateway.cli.measure;

import org.jspecify.annotations.NullMarked;
