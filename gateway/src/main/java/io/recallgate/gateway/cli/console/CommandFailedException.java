package io.recallgate.gateway.cli.console;

import org.jspecify.annotations.Nullable;

/**
 * A command could not do what it was asked. The message is one line for a person: what went wrong and what to do. The
 * command line prints it and exits with status 1.
 */
public final class CommandFailedException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /** @param message one line that names the thing and what to do */
    public CommandFailedException(String message) {
        this(message, null);
    }

    /**
     * @param message one line that names the thing and what to do
     * @param cause shown only when debugging is asked for
     */
    public CommandFailedException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
