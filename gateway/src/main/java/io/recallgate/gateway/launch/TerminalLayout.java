package io.recallgate.gateway.launch;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.IThrowableProxy;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.LayoutBase;
import io.recallgate.failure.FailureException;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import org.jspecify.annotations.Nullable;

/**
 * A log line for people. A failure of our family was expected and its message already says what to do: of its cause
 * only one line is shown. A stack trace is left to defects, and to the debug level of whoever looks for one.
 */
final class TerminalLayout extends LayoutBase<ILoggingEvent> {

    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("HH:mm:ss.SSS").withZone(ZoneId.systemDefault());

    /** Some causes carry pages of native detail. */
    private static final int MAX_CAUSE = 200;

    private final boolean debug;

    /** @param debug whether every stack trace is shown */
    TerminalLayout(boolean debug) {
        this.debug = debug;
    }

    @Override
    public String doLayout(ILoggingEvent event) {
        String logger = event.getLoggerName();
        StringBuilder line = new StringBuilder(160)
                .append(TIME.format(Instant.ofEpochMilli(event.getTimeStamp())))
                .append(' ')
                .append(String.format("%-5s", event.getLevel()))
                .append(' ')
                .append(logger.substring(logger.lastIndexOf('.') + 1))
                .append(" - ")
                .append(event.getFormattedMessage());
        IThrowableProxy thrown = event.getThrowableProxy();
        if (thrown == null) {
            return line.append('\n').toString();
        }
        if (!debug && thrown.getClassName().equals(FailureException.class.getName())) {
            return line.append(cause(thrown.getCause())).append('\n').toString();
        }
        return line.append('\n').append(ThrowableProxyUtil.asString(thrown)).toString();
    }

    private static String cause(@Nullable IThrowableProxy cause) {
        if (cause == null) {
            return "";
        }
        String name = cause.getClassName();
        String said = name.substring(name.lastIndexOf('.') + 1) + ": "
                + String.valueOf(cause.getMessage()).lines().findFirst().orElse("");
        return " (" + (said.length() > MAX_CAUSE ? said.substring(0, MAX_CAUSE) + "…" : said) + ")";
    }
}
