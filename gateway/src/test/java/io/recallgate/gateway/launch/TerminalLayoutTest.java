package io.recallgate.gateway.launch;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.LoggingEvent;
import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class TerminalLayoutTest {

    private final LoggerContext context = new LoggerContext();

    private String line(boolean debug, @Nullable Throwable thrown) {
        return new TerminalLayout(debug)
                .doLayout(new LoggingEvent(
                        "x",
                        context.getLogger("io.recallgate.some.Place"),
                        Level.WARN,
                        "it said {}",
                        thrown,
                        new Object[] {"no"}));
    }

    @Test
    void anEventIsOneLine() {
        assertThat(line(false, null)).matches("\\d\\d:\\d\\d:\\d\\d\\.\\d{3} WARN  Place - it said no\n");
    }

    @Test
    void anExpectedFailureShowsItsCauseWithoutAStackTrace() {
        FailureException expected = new FailureException(FailureCode.MODEL_UNUSABLE, "no model")
                .causedBy(new IOException("gone\nand more"));

        assertThat(line(false, expected)).endsWith("it said no (IOException: gone)\n");
        assertThat(line(false, new FailureException(FailureCode.MODEL_UNUSABLE, "no model")))
                .endsWith("it said no\n");
    }

    @Test
    void aDefectAndTheDebugLevelShowEverything() {
        FailureException expected =
                new FailureException(FailureCode.MODEL_UNUSABLE, "no model").causedBy(new IOException("gone"));

        assertThat(line(false, new IllegalStateException("broken")))
                .contains("\tat ")
                .contains("broken");
        assertThat(line(true, expected)).contains("\tat ").contains("gone");
    }
}
