package io.recallgate.gateway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class HelpTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "demo",
                "serve",
                "import",
                "recall",
                "status",
                "eval",
                "bench",
                "bench probes",
                "bench recall",
                "bench relay",
                "bench replay",
                "bench sessions",
                "bench stalled",
                "bench start",
                "bench metrics",
                "help"
            })
    void everyCommandTeachesByExample(String command) {
        CommandLineRun line = new CommandLineRun();

        assertThat(line.run((command + " --help").split(" "))).isZero();

        assertThat(line.out())
                .contains("Usage: recallgate " + command)
                .contains("Examples:")
                .contains("./recallgate " + command);
        assertThat(line.err()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"--help", "-h"})
    void theRootNamesEveryCommandAndTheExitStatus(String option) {
        CommandLineRun line = new CommandLineRun();

        assertThat(line.run(option)).isZero();

        assertThat(line.out()).contains("demo", "serve", "import", "recall", "status", "eval", "bench", "Exit status");
        assertThat(line.out()).contains("  build  ", "  test  ", "  bench jmh  ", "  bench jobs ", "  bench vectors ");
    }

    @Test
    void helpOfACommandIsTheSameAsItsOption() {
        CommandLineRun asked = new CommandLineRun();
        CommandLineRun option = new CommandLineRun();

        assertThat(asked.run("help", "bench", "recall")).isZero();
        option.run("bench", "recall", "--help");

        assertThat(asked.out()).isEqualTo(option.out());
    }

    @Test
    void theVersionIsOneLine() {
        CommandLineRun line = new CommandLineRun();

        assertThat(line.run("--version")).isZero();

        assertThat(line.out()).startsWith("recallgate ").hasLineCount(1);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "stauts | there is no command 'stauts'; did you mean 'status'? (see './recallgate --help')",
                "help stauts | there is no command 'stauts'; did you mean 'status'? (see './recallgate --help')",
                "status --jsn | there is no option '--jsn'; did you mean '--json'? (see './recallgate status --help')",
                "status now | 'now' is one argument too many (see './recallgate status --help')",
                "test | 'test' is a command of the script in a checkout, not of the jar (see './recallgate --help')",
                "bench jmh | 'jmh' is a command of the script in a checkout, not of the jar (see './recallgate bench --help')",
            })
    void aSlipIsNamedWithWhatWasMeant(String arguments, String message) {
        CommandLineRun line = new CommandLineRun();

        assertThat(line.run(arguments.split(" "))).isEqualTo(2);

        assertThat(line.err()).isEqualTo("recallgate: " + message + "\n");
        assertThat(line.out()).isEmpty();
    }
}
