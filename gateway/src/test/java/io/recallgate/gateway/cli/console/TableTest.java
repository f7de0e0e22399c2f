package io.recallgate.gateway.cli.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Properties;
import org.junit.jupiter.api.Test;

class TableTest {

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();

    private Screen screen(int columns) {
        PrintStream stream = new PrintStream(out, true, StandardCharsets.UTF_8);
        return new Screen(stream, stream, false, false, false, columns);
    }

    private String printed() {
        return out.toString(StandardCharsets.UTF_8);
    }

    @Test
    void numbersStandRightAndTextLeft() {
        Table.of(Table.right("n"), Table.left("name"), Table.elastic("text"))
                .row("1", "a", "x")
                .row("10", "long name", "y")
                .print(screen(80));

        assertThat(printed()).isEqualTo("""
                 n  name       text
                 1  a          x
                10  long name  y
                """);
    }

    @Test
    void theElasticColumnIsCutAtTheEndOfTheLine() {
        Table.of(Table.left("who"), Table.elastic("content"))
                .row("Mika", "納品書".repeat(20))
                .print(screen(60));

        String row = printed().lines().toList().get(1);
        assertThat(DisplayWidth.of(row)).isBetween(58, 60);
        assertThat(row).endsWith("…");
    }

    @Test
    void storedTextCannotDrawOnTheTerminal() {
        Table.of(Table.elastic("content")).row("a\nb\u001b[2Jc\u2028d").print(screen(80));

        assertThat(printed().lines().toList().get(1)).isEqualTo("a b [2Jc d");
    }

    @Test
    void aRowOfAnotherLengthIsADefect() {
        assertThatThrownBy(() -> Table.of(Table.left("a")).row("1", "2")).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void theScreenIsWhatTheScriptFound() {
        Properties properties = new Properties();
        properties.setProperty("recallgate.terminal.out", "true");
        properties.setProperty("recallgate.terminal.columns", "133");

        Screen screen = Screen.detect(System.out, System.err, properties, Map.of("TERM", "xterm"));

        assertThat(screen.outIsTerminal()).isTrue();
        assertThat(screen.errIsTerminal()).isFalse();
        assertThat(screen.colour()).isTrue();
        assertThat(screen.columns()).isEqualTo(133);
        assertThat(Screen.detect(System.out, System.err, properties, Map.of("TERM", "xterm", "NO_COLOR", "1"))
                        .colour())
                .isFalse();
        assertThat(Screen.detect(System.out, System.err, new Properties(), Map.of("COLUMNS", "7"))
                        .columns())
                .isEqualTo(Screen.MIN_COLUMNS);
    }
}
