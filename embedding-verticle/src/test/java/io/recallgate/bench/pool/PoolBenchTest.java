package io.recallgate.bench.pool;

import io.recallgate.bench.BenchCommandRun;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** The command's options; nothing is measured here. */
class PoolBenchTest {

    private final BenchCommandRun line = new BenchCommandRun(PoolBench::command);

    @Test
    void theScriptShowsTheHelpOfTheCommand() throws IOException {
        line.assertHelpIs(Path.of("src/test/resources/bench-pool-help.txt"));
    }

    @Test
    void whatIsWrongWithAnOptionIsSaidWithWhatIsAllowed() {
        line.assertRefused("--rounds is 0; allowed is 1 to 1000", "--rounds", "0");
        line.assertRefused("'--rounds'", "--rounds", "many");
        line.assertRefused("--texts is 12; allowed is 120 to 10000000", "--texts", "12");
        line.assertRefused("--seconds is NaN; allowed is 0.2 to 60", "--seconds", "NaN");
        line.assertRefused("latency", "latency");
        line.assertRefused("--jsn", "--jsn");
    }
}
