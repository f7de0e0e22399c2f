/**
 * Threads for reads that compute: comparing vectors, assembling and encoding large answers. Bounded in jobs and bytes,
 * foreground before background, and with a deadline for each job; an event loop never does their work instead.
 */
@NullMarked
package io.recallgate.recall.read;

import org.jspecify.annotations.NullMarked;
