package io.recallgate.embedding;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.util.List;
import org.slf4j.LoggerFactory;

/** What is logged under a name while it is open. */
public final class WrittenLog implements AutoCloseable {

    private final Logger logger;
    private final ListAppender<ILoggingEvent> written = new ListAppender<>();

    private WrittenLog(Logger logger) {
        this.logger = logger;
        written.start();
        logger.addAppender(written);
    }

    /** What this class logs from now on. */
    public static WrittenLog of(Class<?> type) {
        return of(type.getName());
    }

    /** What is logged under this name from now on. */
    public static WrittenLog of(String name) {
        return new WrittenLog((Logger) LoggerFactory.getLogger(name));
    }

    /** Texts of what was logged as a warning, in order. */
    public List<String> warnings() {
        synchronized (written) {
            return List.copyOf(written.list).stream()
                    .filter(event -> event.getLevel() == Level.WARN)
                    .map(ILoggingEvent::getFormattedMessage)
                    .toList();
        }
    }

    @Override
    public void close() {
        logger.detachAppender(written);
    }
}
