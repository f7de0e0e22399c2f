package io.recallgate.gateway.config;

/**
 * A configuration that cannot be served. The message is one line for the operator: the setting, its value unless it is
 * secret, and what is allowed. It has no stack trace: nothing in the program is wrong.
 */
public final class ConfigException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /** @param line the one line, without a line break */
    public ConfigException(String line) {
        super(line.replace('\n', ' ').replace('\r', ' '), null, false, false);
    }

    /** The one line. */
    public String line() {
        return String.valueOf(getMessage());
    }
}
