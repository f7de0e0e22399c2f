package io.recallgate.gateway.cli.bench;

import io.recallgate.gateway.cli.client.Pauses;
import io.recallgate.gateway.cli.console.Screen;
import io.recallgate.time.Clock;

/**
 * What a benchmark gets from outside.
 *
 * @param screen for progress
 * @param clock time
 * @param pauses waiting
 */
public record BenchContext(Screen screen, Clock clock, Pauses pauses) {}
