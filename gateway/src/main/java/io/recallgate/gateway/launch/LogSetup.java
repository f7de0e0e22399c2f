package io.recallgate.gateway.launch;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.ConsoleAppender;
import ch.qos.logback.core.encoder.Encoder;
import ch.qos.logback.core.encoder.LayoutWrappingEncoder;
import io.recallgate.gateway.config.RecallgateConfig.Log;
import io.recallgate.gateway.config.RecallgateConfig.LogFormat;
import io.recallgate.time.Deadline;
import io.recallgate.time.SystemClock;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.ILoggerFactory;
import org.slf4j.LoggerFactory;

/**
 * The log of a gateway process, on standard error: repeats are left out by {@link RepeatLimit}, the rest goes through a
 * {@link LogQueue}. Made by hand and not from a {@code logback.xml}: one in our jar would
 * take over the log of an application that embeds us, and parsing it would cost a tenth of the start.
 */
final class LogSetup {

    /**
     * One looks for a graphics card that nobody asked for; one meets the same gauge from two acceptors; one has a stack
     * trace for each client that connects while the last acceptor closes.
     */
    private static final List<String> CHATTY = List.of(
            "ai.djl.util.cuda", "io.micrometer.core.instrument.MeterRegistry", "io.netty.bootstrap.ServerBootstrap");

    /** What the log goes through now. */
    private static volatile @Nullable LogQueue queue;

    private LogSetup() {}

    /** How it is until the settings are read. */
    static void applyDefaults() {
        apply(new Log(LogFormat.TEXT, "info"));
    }

    /** Libraries speak only when something is wrong, whatever the level. */
    static void apply(Log log) {
        ILoggerFactory factory = LoggerFactory.getILoggerFactory();
        if (!(factory instanceof LoggerContext context)) {
            return;
        }
        // Ends the queue before, with all that is in it.
        context.reset();
        Logger root = context.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
        root.setLevel(log.level().equals("error") ? Level.ERROR : Level.WARN);
        context.getLogger("io.recallgate").setLevel(Level.toLevel(log.level()));
        CHATTY.forEach(name -> context.getLogger(name).setLevel(Level.ERROR));
        ConsoleAppender<ILoggingEvent> appender = new ConsoleAppender<>();
        appender.setContext(context);
        appender.setTarget("System.err");
        appender.setEncoder(
                isJson(log.format()) ? json(context) : text(context, log.level().equals("debug")));
        appender.start();
        LogQueue fresh = new LogQueue(appender, context);
        fresh.start();
        queue = fresh;
        // In front: what it leaves out must not fill the queue.
        RepeatLimit repeats = new RepeatLimit(fresh, context);
        repeats.setContext(context);
        repeats.start();
        root.addAppender(repeats);
    }

    /**
     * Before the process ends: tells what has been left out of the log and would otherwise be told by a later line, and
     * waits until all is written, but not for ever: see {@link LogQueue#FLUSH_MILLIS}.
     */
    static void flush() {
        Deadline deadline = Deadline.afterMillis(SystemClock.INSTANCE, LogQueue.FLUSH_MILLIS);
        if (LoggerFactory.getILoggerFactory() instanceof LoggerContext context) {
            context.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME)
                    .iteratorForAppenders()
                    .forEachRemaining(appender -> {
                        if (appender instanceof RepeatLimit repeats) {
                            repeats.tellAll();
                        }
                    });
        }
        LogQueue current = queue;
        if (current != null) {
            current.flush(deadline);
        }
    }

    /** The launcher tells whether there is a terminal: Java itself cannot for standard error alone. */
    static boolean isJson(LogFormat format) {
        return format == LogFormat.JSON || (format == LogFormat.AUTO && !Boolean.getBoolean("recallgate.terminal.err"));
    }

    private static Encoder<ILoggingEvent> text(LoggerContext context, boolean debug) {
        TerminalLayout layout = new TerminalLayout(debug);
        layout.setContext(context);
        layout.start();
        LayoutWrappingEncoder<ILoggingEvent> encoder = new LayoutWrappingEncoder<>();
        encoder.setContext(context);
        encoder.setLayout(layout);
        encoder.start();
        return encoder;
    }

    private static Encoder<ILoggingEvent> json(LoggerContext context) {
        JsonLines encoder = new JsonLines();
        encoder.setContext(context);
        encoder.start();
        return encoder;
    }
}
