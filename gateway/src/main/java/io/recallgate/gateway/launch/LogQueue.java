package io.recallgate.gateway.launch;

import ch.qos.logback.classic.AsyncAppender;
import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.LoggingEvent;
import ch.qos.logback.core.Appender;
import ch.qos.logback.core.UnsynchronizedAppenderBase;
import io.recallgate.time.Deadline;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Between those who log and the output: a bounded queue and one daemon thread that writes. Nobody who logs ever waits for
 * the output, which may be a pipe that is full because its reader stands still. What finds no room is dropped and counted,
 * and told before the next line that gets through, or by {@link #flush}; the last fifth of the room is for warnings and
 * errors. Events are made ready on the thread that logs, whose name, time and call they show. Thread-safe.
 */
final class LogQueue extends AsyncAppender {

    /** Lines; the thread that writes has taken as many again at most. Bursts of a start or an end are below 100. */
    static final int LINES = 1_024;

    /** How long an end waits for the output; a reader that is only slow takes a full queue in a fraction of it. */
    static final int FLUSH_MILLIS = 2_000;

    private final LoggerContext loggers;

    /** Guards all below, and every addition to the queue: its room only grows meanwhile. Never held while writing. */
    private final Object lock = new Object();

    private boolean closed;
    private long queued;
    private long written;
    private long dropped;

    /** @param writer to the output, started; stopped by the thread that writes once this is stopped and all is written */
    LogQueue(Appender<ILoggingEvent> writer, LoggerContext loggers) {
        this.loggers = loggers;
        setContext(loggers);
        setName("recallgate-log");
        setQueueSize(LINES);
        setNeverBlock(true);
        setMaxFlushTime(FLUSH_MILLIS);
        Counting counting = new Counting(writer);
        counting.setContext(loggers);
        counting.start();
        addAppender(counting);
    }

    /** Sees what is written. On the thread that writes. */
    private final class Counting extends UnsynchronizedAppenderBase<ILoggingEvent> {

        private final Appender<ILoggingEvent> writer;

        private Counting(Appender<ILoggingEvent> writer) {
            this.writer = writer;
        }

        @Override
        protected void append(ILoggingEvent event) {
            try {
                writer.doAppend(event);
            } finally {
                synchronized (lock) {
                    written++;
                    lock.notifyAll();
                }
            }
        }

        /** After the last line. */
        @Override
        public void stop() {
            long untold;
            synchronized (lock) {
                untold = dropped;
                dropped = 0;
            }
            if (untold > 0) {
                writer.doAppend(told(untold));
            }
            writer.stop();
            super.stop();
        }
    }

    @Override
    protected void append(ILoggingEvent event) {
        synchronized (lock) {
            if (isFullFor(event)) {
                dropped++;
                return;
            }
        }
        // Not under the lock: it calls what the event's arguments are.
        LogFields.capture(event);
        event.prepareForDeferredProcessing();
        synchronized (lock) {
            tellDropped();
            if (isFullFor(event)) {
                dropped++;
            } else {
                add(event);
            }
        }
    }

    /** Done before: see {@link #append}. */
    @Override
    protected void preprocess(ILoggingEvent event) {}

    /**
     * Waits until what was logged up to now is written, and what was dropped is told.
     *
     * @return whether it is; false where the output did not take it in time
     */
    boolean flush(Deadline deadline) {
        boolean interrupted = false;
        try {
            synchronized (lock) {
                long upTo = queued;
                while (true) {
                    if (tellDropped()) {
                        upTo = queued;
                    }
                    if (written >= upTo && dropped == 0) {
                        return true;
                    }
                    if (deadline.isPassed()) {
                        return false;
                    }
                    try {
                        TimeUnit.NANOSECONDS.timedWait(lock, deadline.remainingNanos());
                    } catch (InterruptedException e) {
                        interrupted = true;
                    }
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Takes no more, and waits for a bounded time until all is written; the thread that writes ends once it is. */
    @Override
    public void stop() {
        synchronized (lock) {
            tellDropped();
            // First: what comes in between would be behind the last that the thread takes.
            closed = true;
        }
        super.stop();
    }

    private boolean isFullFor(ILoggingEvent event) {
        return closed || getRemainingCapacity() == 0 || (isDiscardable(event) && isQueueBelowDiscardingThreshold());
    }

    private boolean tellDropped() {
        // Not with the last room: the line that it comes before has to follow.
        if (dropped == 0 || closed || getRemainingCapacity() < 2) {
            return false;
        }
        add(told(dropped));
        dropped = 0;
        return true;
    }

    private LoggingEvent told(long lines) {
        LoggingEvent told = new LoggingEvent(
                LogQueue.class.getName(),
                loggers.getLogger(LogQueue.class.getName()),
                Level.WARN,
                "log lines dropped, since nobody read the log meanwhile: {}",
                null,
                new Object[] {lines});
        // Not for the call that the thread works for.
        told.setMDCPropertyMap(Map.of());
        told.prepareForDeferredProcessing();
        return told;
    }

    private void add(ILoggingEvent event) {
        queued++;
        super.append(event);
    }
}
