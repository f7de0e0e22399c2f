/**
 * Time as an argument: clocks, timers, deadlines and cancellation.
 *
 * <p>Nothing outside this package reads a system clock, sleeps or sets a timer (an ArchUnit rule holds that), so that
 * every component can be stepped by a fake clock. A duration is turned into a {@link io.recallgate.time.Deadline} once,
 * at the edge; from there on components pass the deadline along and never make a longer one.
 */
@NullMarked
package io.recallgate.time;

import org.jspecify.annotations.NullMarked;
