package io.recallgate.gateway.cli.console;

import static org.assertj.core.api.Assertions.assertThat;

import io.recallgate.time.FakeClock;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.Properties;
import org.junit.jupiter.api.Test;

class StatusLineTest {

    private final TerminalPicture terminal = new TerminalPicture();
    private final FakeClock clock = new FakeClock();

    private Screen screen(boolean outIsTerminal, boolean errIsTerminal) {
        Properties properties = new Properties();
        properties.setProperty("recallgate.terminal.out", String.valueOf(outIsTerminal));
        properties.setProperty("recallgate.terminal.err", String.valueOf(errIsTerminal));
        properties.setProperty("stdout.encoding", "UTF-8");
        properties.setProperty("sun.stderr.encoding", "UTF-8");
        PrintStream raw = new PrintStream(terminal, true, StandardCharsets.UTF_8);
        return Screen.detect(raw, raw, properties, Map.of());
    }

    @Test
    void logLinesStandAboveTheProgressLineAndAreWhole() {
        Screen screen = screen(true, true);
        try (Progress progress = new Progress(screen, clock, "starting")) {
            progress.show("jobs pending, and a tail that is longer");
            screen.err().println("03:17:50.946 INFO one");
            screen.err().println("zwei, 二");
            assertThat(terminal.rows())
                    .containsExactly(
                            "03:17:50.946 INFO one", "zwei, 二", "starting  jobs pending, and a tail that is longer");
            clock.advance(Duration.ofSeconds(1));
            progress.show("ready");
            screen.out().println("listening on http://127.0.0.1:7411");
        }

        assertThat(terminal.rows())
                .containsExactly(
                        "03:17:50.946 INFO one",
                        "zwei, 二",
                        "listening on http://127.0.0.1:7411",
                        "starting  ready",
                        "");
    }

    @Test
    void aPassingLineLeavesNothingBehind() {
        Screen screen = screen(true, true);
        try (Progress progress = Progress.passing(screen, clock, "starting")) {
            progress.show("jobs pending");
            screen.out().println("ready in 900 ms");
        }
        screen.out().println("next");

        assertThat(terminal.rows()).containsExactly("ready in 900 ms", "next", "");
    }

    @Test
    void aLineInPiecesIsNotInterrupted() {
        Screen screen = screen(true, true);
        try (Progress progress = Progress.passing(screen, clock, "doing")) {
            progress.show("a");
            screen.out().print("one ");
            clock.advance(Duration.ofSeconds(1));
            progress.show("b");
            screen.out().print("two");
            screen.out().println();
            assertThat(terminal.rows()).containsExactly("one two", "doing  b");
        }
    }

    @Test
    void bytesOfALogAppenderAreGuardedToo() {
        Screen screen = screen(false, true);
        try (Progress progress = new Progress(screen, clock, "doing")) {
            progress.show("a");
            byte[] bytes = "a log line\n".getBytes(StandardCharsets.UTF_8);
            screen.err().write(bytes, 0, bytes.length);
            screen.err().flush();

            assertThat(terminal.rows()).containsExactly("a log line", "doing  a");
        }
    }

    @Test
    void withoutATerminalStreamsAreWhatTheyWere() {
        PrintStream raw = new PrintStream(terminal, true, StandardCharsets.UTF_8);

        Screen screen = Screen.detect(raw, raw, new Properties(), Map.of());

        assertThat(screen.out()).isSameAs(raw);
        assertThat(screen.err()).isSameAs(raw);
    }
}
