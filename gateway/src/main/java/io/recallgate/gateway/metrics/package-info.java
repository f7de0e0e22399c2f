/** The metrics of the HTTP side, of conversations, and of the process. */
@NullMarked
package io.recallgate.gateway.metrics;

import org.jspecify.annotations.NullMarked;
