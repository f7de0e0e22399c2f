package io.recallgate.bench.pool;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** The benchmark's arithmetic and what it refuses; nothing is timed here. */
class PoolBenchTest {

    @Test
    void quantilesAreTheSmallestValuesThatEnoughOthersDoNotExceed() {
        Samples samples = new Samples();
        for (int value = 100; value >= 1; value--) {
            samples.add(value);
        }

        assertThat(samples.median()).isEqualTo(50);
        assertThat(samples.quantile(0.99)).isEqualTo(99);
        assertThat(samples.max()).isEqualTo(100);
    }

    @Test
    void theTrendIsTheSlopeOfALine() {
        Samples rising = new Samples();
        Samples flat = new Samples();
        for (int i = 0; i < 10; i++) {
            rising.add(100 + 2 * i);
            flat.add(100);
        }

        assertThat(rising.slope()).isEqualTo(2);
        assertThat(flat.slope()).isZero();
    }

    @Test
    void aGoalIsMetOrMissed() {
        assertThat(Figure.atLeast("ratio", 0.97, 0.97).met()).isTrue();
        assertThat(Figure.atLeast("ratio", 0.97, 0.969).met()).isFalse();
        assertThat(Figure.atMostMillis("wait", 5, 5.01).met()).isFalse();
    }

    @Test
    void badOptionsAreRefusedByName() {
        assertThat(refusal("--rounds", "0")).contains("--rounds is 0; allowed is 1 to 1000");
        assertThat(refusal("--texts", "5")).contains("--texts is 5; allowed is 110 or more");
        assertThat(refusal("latencies")).contains("latencies");
    }

    private static String refusal(String... arguments) {
        StringWriter said = new StringWriter();
        PrintStream nowhere = new PrintStream(new ByteArrayOutputStream(), true, StandardCharsets.UTF_8);
        CommandLine command = PoolBench.command(nowhere, nowhere).setErr(new PrintWriter(said));
        assertThat(command.execute(arguments)).isEqualTo(2);
        return said.toString();
    }
}
