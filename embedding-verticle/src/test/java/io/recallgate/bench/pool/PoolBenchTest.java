package io.recallgate.bench.pool;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** The command's options; nothing is measured here. */
class PoolBenchTest {

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final StringWriter err = new StringWriter();
    private final StringWriter help = new StringWriter();

    @Test
    void helpNamesWhatCanBeMeasuredAndGivesExamples() {
        assertThat(run("--help")).isZero();
        assertThat(help.toString())
                .contains(
                        "memory, throughput, queries, cancels",
                        "--rounds",
                        "--json",
                        "./recallgate bench pool queries");
    }

    @Test
    void whatIsWrongWithAnOptionIsSaidWithWhatIsAllowed() {
        assertFails("--rounds is 0; allowed is 1 to 1000", "--rounds", "0");
        assertFails("'--rounds'", "--rounds", "many");
        assertFails("--texts is 12; allowed is 120 to 10000000", "--texts", "12");
        assertFails("--seconds is NaN; allowed is 0.2 to 60", "--seconds", "NaN");
        assertFails("latency", "latency");
        assertFails("--jsn", "--jsn");
    }

    private void assertFails(String words, String... arguments) {
        err.getBuffer().setLength(0);
        assertThat(run(arguments)).isEqualTo(2);
        assertThat(err.toString()).contains(words);
        assertThat(out.size()).isZero();
    }

    private int run(String... arguments) {
        PrintStream stream = new PrintStream(out, true, StandardCharsets.UTF_8);
        CommandLine command = PoolBench.command(stream, stream);
        command.setErr(new PrintWriter(err, true));
        command.setOut(new PrintWriter(help, true));
        return command.execute(arguments);
    }
}
