/**
 * What happens to every request before and after its route: an ordered set of stages, each of which lets the exchange
 * pass or fails it, and one place that writes the answer. The order is the enum {@link
 * io.recallgate.gateway.http.pipeline.Stage}; a pipeline cannot be built in another one.
 */
@NullMarked
package io.recallgate.gateway.http.pipeline;

import org.jspecify.annotations.NullMarked;
