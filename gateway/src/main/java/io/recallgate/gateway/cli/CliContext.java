package io.recallgate.gateway.cli;

import io.recallgate.gateway.cli.client.Pauses;
import io.recallgate.gateway.cli.console.Screen;
import io.recallgate.time.Clock;
import java.io.InputStream;
import java.util.Map;

/**
 * What a command gets from outside.
 *
 * @param screen where it writes
 * @param in where {@code import -} reads
 * @param environment variables of the process
 * @param clock time
 * @param pauses waiting
 */
public record CliContext(Screen screen, InputStream in, Map<String, String> environment, Clock clock, Pauses pauses) {
    /** Copies the variables. */
    public CliContext {
        environment = Map.copyOf(environment);
    }
}
