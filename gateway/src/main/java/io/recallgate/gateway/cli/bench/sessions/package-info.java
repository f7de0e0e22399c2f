/** A workload of long conversations with tools against a gateway in its own process, which checks what it measures. */
@NullMarked
package io.recallgate.gateway.cli.bench.sessions;

import org.jspecify.annotations.NullMarked;
