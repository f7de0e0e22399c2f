/** {@code ./recallgate bench import}: an import from its first write to its last vector, with recalls beside it. */
@NullMarked
package io.recallgate.bench.importing;

import org.jspecify.annotations.NullMarked;
