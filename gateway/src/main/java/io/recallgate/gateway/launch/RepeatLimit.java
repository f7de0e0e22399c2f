package io.recallgate.gateway.launch;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.LoggingEvent;
import ch.qos.logback.core.Appender;
import ch.qos.logback.core.UnsynchronizedAppenderBase;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Lets the first lines of a kind through in each window, and then one line that says how many were left out. Lines are of
 * a kind when they come from one place: same logger, level and template. Debug lines are all let through: who asks for them
 * looks for one. Windows go by the time of events; one that is over is told of by the next line, whatever it is, or by
 * {@link #tellAll}, which the end of a process calls. Thread-safe.
 */
final class RepeatLimit extends UnsynchronizedAppenderBase<ILoggingEvent> {

    /** Enough to see what it is about. */
    static final int FIRST = 10;

    static final long WINDOW_MILLIS = 60_000;

    /** A library that builds its messages itself has a new template each time: the oldest windows are given up. */
    static final int MAX_KINDS = 500;

    private final Appender<ILoggingEvent> writer;
    private final LoggerContext loggers;

    // All below is guarded by this.

    private final Map<Kind, Window> windows = new LinkedHashMap<>();

    /** What lines have in common. */
    private record Kind(String logger, Level level, String template) {}

    private static final class Window {
        private final long untilMillis;
        private long lines;

        private Window(long untilMillis) {
            this.untilMillis = untilMillis;
        }

        private long leftOut() {
            return Math.max(0, lines - FIRST);
        }
    }

    /** @param writer of what passes, and of the lines about what does not */
    RepeatLimit(Appender<ILoggingEvent> writer, LoggerContext loggers) {
        this.writer = writer;
        this.loggers = loggers;
    }

    @Override
    protected void append(ILoggingEvent event) {
        List<ILoggingEvent> told;
        boolean passes = !event.getLevel().isGreaterOrEqual(Level.INFO);
        synchronized (this) {
            told = ended(event.getTimeStamp());
            if (!passes) {
                passes = passes(
                        new Kind(event.getLoggerName(), event.getLevel(), event.getMessage()),
                        event.getTimeStamp(),
                        told);
            }
        }
        told.forEach(writer::doAppend);
        if (passes) {
            writer.doAppend(event);
        }
    }

    /** Ends all windows, and then the writer. */
    @Override
    public void stop() {
        tellAll();
        writer.stop();
        super.stop();
    }

    /** Ends all windows: what was left out so far is told now. */
    void tellAll() {
        List<ILoggingEvent> told;
        synchronized (this) {
            told = ended(Long.MAX_VALUE);
        }
        told.forEach(writer::doAppend);
    }

    private boolean passes(Kind kind, long now, List<ILoggingEvent> told) {
        Window window = windows.get(kind);
        if (window == null) {
            if (windows.size() == MAX_KINDS) {
                Iterator<Map.Entry<Kind, Window>> oldest = windows.entrySet().iterator();
                tell(oldest.next(), told);
                oldest.remove();
            }
            window = new Window(now + WINDOW_MILLIS);
            windows.put(kind, window);
        }
        return ++window.lines <= FIRST;
    }

    /** In the order in which they began they also end. */
    private List<ILoggingEvent> ended(long now) {
        List<ILoggingEvent> told = new ArrayList<>();
        Iterator<Map.Entry<Kind, Window>> oldest = windows.entrySet().iterator();
        while (oldest.hasNext()) {
            Map.Entry<Kind, Window> next = oldest.next();
            if (next.getValue().untilMillis > now) {
                break;
            }
            tell(next, told);
            oldest.remove();
        }
        return told;
    }

    private void tell(Map.Entry<Kind, Window> over, List<ILoggingEvent> told) {
        if (over.getValue().leftOut() > 0) {
            told.add(new LoggingEvent(
                    RepeatLimit.class.getName(),
                    loggers.getLogger(RepeatLimit.class.getName()),
                    over.getKey().level(),
                    "{} more lines of {} were left out within a minute: {}",
                    null,
                    new Object[] {
                        over.getValue().leftOut(),
                        over.getKey().logger(),
                        over.getKey().template()
                    }));
        }
    }
}
