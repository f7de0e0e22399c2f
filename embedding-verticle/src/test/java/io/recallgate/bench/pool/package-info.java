/**
 * The embedding pool measured against what a user would have without it, in one run: a bare loop over the same sessions
 * and LangChain4j's in-process model. Contenders take turns in short rounds, so that a noisy machine is noisy for all of
 * them; what is reported is the median of the ratios of single rounds. Run by {@code ./recallgate bench pool}.
 */
@NullMarked
package io.recallgate.bench.pool;

import org.jspecify.annotations.NullMarked;
