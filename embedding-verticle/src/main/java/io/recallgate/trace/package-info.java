/** Which request a piece of work belongs to: for log lines, and for whoever traces calls through several services. */
@NullMarked
package io.recallgate.trace;

import org.jspecify.annotations.NullMarked;
