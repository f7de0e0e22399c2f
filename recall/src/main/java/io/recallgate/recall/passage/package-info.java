/** Cuts long texts into overlapping passages that fit a model's window. Pure: no clock, no database, no model. */
@NullMarked
package io.recallgate.recall.passage;

import org.jspecify.annotations.NullMarked;
