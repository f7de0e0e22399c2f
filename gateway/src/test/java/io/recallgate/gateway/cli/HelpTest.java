package io.recallgate.gateway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HelpTest {

    @ParameterizedTest
    @ValueSource(
            strings = {"demo", "serve", "import", "recall", "status", "eval", "bench", "bench recall", "bench start"})
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
    }
}
