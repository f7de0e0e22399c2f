/**
 * Meaning: vectors tagged with the fingerprint of the model that made them, and the index over them. The truth is a
 * {@code bytea} column; what an index keeps beside it is derived and can be built anew.
 */
@NullMarked
package io.recallgate.recall.vector;

import org.jspecify.annotations.NullMarked;
