/**
 * The bytes of what dispatcher and workers say to each other. Within a process messages pass by reference; this is for
 * a bus between nodes, whose bytes may be damaged or come from another version: reading them is bounded by what is
 * there, and fails with {@link io.recallgate.embedding.wire.WireFormatException} and nothing else.
 *
 * <p>A message is a version byte, a kind byte, the length of what follows (int32) and its fields in the order of the
 * record. Integers and float64 are big-endian; a list is its size (int32) and its entries; a text is its size in bytes (int32) and
 * UTF-8; a flag is a byte, 0 or 1; an enum constant is a byte with a number of its own; a field that may be null is
 * preceded by a flag that says whether it is there; a vector is its dimensions (int32) and float32 in little-endian, as
 * vectors are stored.
 */
@NullMarked
package io.recallgate.embedding.wire;

import org.jspecify.annotations.NullMarked;
