/**
 * How several signals become one order. Pure functions over ids and scores: nothing here knows where they come from,
 * waits, or reads a clock.
 */
@NullMarked
package io.recallgate.recall.rank;

import org.jspecify.annotations.NullMarked;
