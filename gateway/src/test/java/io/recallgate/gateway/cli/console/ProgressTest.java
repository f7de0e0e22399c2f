package io.recallgate.gateway.cli.console;

import static org.assertj.core.api.Assertions.assertThat;

import io.recallgate.time.FakeClock;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class ProgressTest {

    private final FakeClock clock = new FakeClock();
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();

    private Progress progress(boolean terminal) {
        PrintStream stream = new PrintStream(out, true, StandardCharsets.UTF_8);
        return new Progress(new Screen(stream, stream, terminal, terminal, false, 80), clock, "doing");
    }

    private String shown() {
        return out.toString(StandardCharsets.UTF_8);
    }

    @Test
    void aTerminalSeesOneLineRewrittenAtMostTenTimesASecond() {
        try (Progress progress = progress(true)) {
            progress.show(1, 4, "a");
            progress.show(2, 4, "b");
            clock.advance(Duration.ofMillis(100));
            progress.show(3, 4, "c");
            progress.show(4, 4, "d");
        }

        assertThat(shown())
                .isEqualTo("\rdoing  [######..................]  25 %  a\u001b[K"
                        + "\rdoing  [##################......]  75 %  c\u001b[K"
                        + "\rdoing  [########################] 100 %  d\u001b[K\n");
    }

    @Test
    void aLogSeesNothingOfAShortStepAndALineOfALongOne() {
        try (Progress progress = progress(false)) {
            progress.show("a");
            clock.advance(Duration.ofSeconds(9));
            progress.show("b");
            assertThat(shown()).isEmpty();
            clock.advance(Duration.ofSeconds(1));
            progress.show("c");
            progress.show("d");
        }

        assertThat(shown()).isEqualTo("doing  c\n");
    }
}
