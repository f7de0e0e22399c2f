/**
 * Writes a source of memories to a gateway in batches, keeps the good ones when others are damaged, and watches their
 * embedding.
 */
@NullMarked
package io.recallgate.gateway.cli.importing;

import org.jspecify.annotations.NullMarked;
