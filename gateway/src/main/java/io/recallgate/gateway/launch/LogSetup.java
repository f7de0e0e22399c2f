package io.recallgate.gateway.launch;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.encoder.JsonEncoder;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.ConsoleAppender;
import io.recallgate.gateway.config.RecallgateConfig.Log;
import io.recallgate.gateway.config.RecallgateConfig.LogFormat;
import org.slf4j.ILoggerFactory;
import org.slf4j.LoggerFactory;

/** Sets the log's level and format. Before it runs, {@code logback.xml} writes text for people. */
final class LogSetup {

    private LogSetup() {}

    static void apply(Log log) {
        ILoggerFactory factory = LoggerFactory.getILoggerFactory();
        if (!(factory instanceof LoggerContext context)) {
            return;
        }
        Logger root = context.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
        context.getLogger("io.recallgate").setLevel(Level.toLevel(log.level()));
        if (log.level().equals("error")) {
            root.setLevel(Level.ERROR);
        }
        if (log.format() == LogFormat.JSON && root.getAppender("json") == null) {
            root.detachAndStopAllAppenders();
            root.addAppender(json(context));
        }
    }

    private static ConsoleAppender<ILoggingEvent> json(LoggerContext context) {
        JsonEncoder encoder = new JsonEncoder();
        encoder.setContext(context);
        encoder.setWithSequenceNumber(false);
        encoder.setWithNanoseconds(false);
        encoder.setWithContext(false);
        encoder.setWithArguments(false);
        encoder.setWithMessage(false);
        encoder.setWithFormattedMessage(true);
        encoder.start();
        ConsoleAppender<ILoggingEvent> appender = new ConsoleAppender<>();
        appender.setContext(context);
        appender.setName("json");
        appender.setTarget("System.err");
        appender.setEncoder(encoder);
        appender.start();
        return appender;
    }
}
