/**
 * Memories on the event bus, for verticles of this or another JVM: the consumers of {@code recallgate.remember} and
 * {@code recallgate.recall}, and a typed client for them. The {@code owner} in a body is trusted: the bus is inside the
 * trust boundary.
 */
@NullMarked
package io.recallgate.recall.bus;

import org.jspecify.annotations.NullMarked;
