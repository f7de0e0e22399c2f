/**
 * Measures recall on conversations with questions and evidence: the metrics, and the run that asks a gateway every
 * question.
 */
@NullMarked
package io.recallgate.gateway.cli.eval;

import org.jspecify.annotations.NullMarked;
