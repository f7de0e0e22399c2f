/** Workloads that anybody can repeat: seeded texts, spans and their percentiles, and what the process takes. */
@NullMarked
package io.recallgate.gateway.cli.bench;

import org.jspecify.annotations.NullMarked;
