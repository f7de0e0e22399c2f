/**
 * What dispatcher and workers say to each other: immutable records, each naming slot and generation and, where it is
 * about work, the slice and its operations. They pass by reference within a process, and package {@code wire} writes
 * them for a bus between nodes. A receiver drops what does not match its own slot, generation and slice.
 *
 * <p>A slice is one assignment to one worker: rows of one or several operations. {@code sliceId} is unique in the life
 * of a dispatcher; {@link io.recallgate.embedding.protocol.SlicePart} names the operation of each run of rows, so rows
 * never change owner.
 */
@NullMarked
package io.recallgate.embedding.protocol;

import org.jspecify.annotations.NullMarked;
