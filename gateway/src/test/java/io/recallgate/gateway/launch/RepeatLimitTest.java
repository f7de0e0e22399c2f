package io.recallgate.gateway.launch;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.LoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Windows by the time of events. */
class RepeatLimitTest {

    private final LoggerContext context = new LoggerContext();
    private final ListAppender<ILoggingEvent> written = new ListAppender<>();
    private final RepeatLimit limit = new RepeatLimit(written, context);

    @BeforeEach
    void start() {
        written.start();
        limit.start();
    }

    private void log(long atMillis, Level level, String template, Object... values) {
        LoggingEvent event =
                new LoggingEvent("x", context.getLogger("io.recallgate.Place"), level, template, null, values);
        event.setTimeStamp(atMillis);
        limit.doAppend(event);
    }

    private long lines(String beginning) {
        return written.list.stream()
                .filter(event -> event.getFormattedMessage().startsWith(beginning))
                .count();
    }

    @Test
    void theFirstOfAWindowAreWrittenAndTheRestCountedOnce() {
        for (int i = 0; i < 1_000; i++) {
            log(i, Level.WARN, "turn {} failed", i);
        }
        assertThat(lines("turn")).isEqualTo(RepeatLimit.FIRST);

        log(RepeatLimit.WINDOW_MILLIS, Level.INFO, "something else");
        log(RepeatLimit.WINDOW_MILLIS, Level.INFO, "something else");

        assertThat(lines("990 more lines of io.recallgate.Place were left out within a minute: turn {} failed"))
                .isEqualTo(1);
        assertThat(lines("something else")).isEqualTo(2);
    }

    @Test
    void theNextWindowBeginsAnew() {
        for (int i = 0; i < 20; i++) {
            log(0, Level.WARN, "turn {} failed", i);
        }
        for (int i = 0; i < 20; i++) {
            log(RepeatLimit.WINDOW_MILLIS, Level.WARN, "turn {} failed", i);
        }

        assertThat(lines("turn")).isEqualTo(2L * RepeatLimit.FIRST);
        assertThat(lines("10 more lines")).isEqualTo(1);
        limit.stop();
        assertThat(lines("10 more lines")).isEqualTo(2);
    }

    @Test
    void otherTemplatesAndLevelsAreOthersAndDebugLinesAreAllWritten() {
        for (int i = 0; i < 20; i++) {
            log(0, Level.WARN, "a {}", i);
            log(0, Level.ERROR, "a {}", i);
            log(0, Level.WARN, "b {}", i);
            log(0, Level.DEBUG, "c {}", i);
        }

        assertThat(lines("a")).isEqualTo(2L * RepeatLimit.FIRST);
        assertThat(lines("b")).isEqualTo(RepeatLimit.FIRST);
        assertThat(lines("c")).isEqualTo(20);
    }

    @Test
    void templatesWithoutEndAreForgottenAndNeverLost() {
        for (int i = 0; i < 10_000; i++) {
            log(0, Level.WARN, "made by hand: " + i);
        }

        assertThat(lines("made by hand")).isEqualTo(10_000);
    }

    @Test
    void theOldestKindIsToldOfWhenThereAreTooMany() {
        for (int i = 0; i < RepeatLimit.FIRST + 3; i++) {
            log(0, Level.WARN, "turn {} failed", i);
        }
        for (int i = 0; i < RepeatLimit.MAX_KINDS - 1; i++) {
            log(0, Level.WARN, "made by hand: " + i);
        }
        assertThat(lines("3 more lines")).isZero();

        log(0, Level.WARN, "one kind more");

        assertThat(lines("3 more lines")).isEqualTo(1);
    }
}
