package io.recallgate.gateway.http;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.AppenderBase;
import io.recallgate.trace.CallContext;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/** All that is logged, at every level, with what it was logged for. */
final class LinesWritten extends AppenderBase<ILoggingEvent> {

    /** One line, with the stack trace of what was thrown. */
    record Line(String text, Level level, String logger, Optional<CallContext> call) {}

    final Queue<Line> lines = new ConcurrentLinkedQueue<>();

    @Override
    protected void append(ILoggingEvent event) {
        String thrown =
                event.getThrowableProxy() == null ? "" : "\n" + ThrowableProxyUtil.asString(event.getThrowableProxy());
        lines.add(new Line(
                event.getFormattedMessage() + thrown,
                event.getLevel(),
                event.getLoggerName(),
                Optional.ofNullable(CallContext.current())));
    }
}
