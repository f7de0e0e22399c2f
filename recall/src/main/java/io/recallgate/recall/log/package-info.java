/** The log of recalls, written beside the answers and never in their way, and what can be told from it. */
@NullMarked
package io.recallgate.recall.log;

import org.jspecify.annotations.NullMarked;
