package io.recallgate.bench.write;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonObject;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import picocli.CommandLine;

@Timeout(300)
class WriteBenchTest {

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final StringWriter err = new StringWriter();
    private final StringWriter help = new StringWriter();

    @Test
    void helpTeachesByExample() {
        assertThat(run("--help")).isZero();
        assertThat(help.toString()).contains("--writes", "--clients", "--json", "./recallgate bench write --writes");
    }

    @Test
    void whatIsWrongWithAnOptionIsSaidWithWhatIsAllowed() {
        assertFails("--writes is 0; allowed is 10 to 100000", "--writes", "0");
        assertFails("'--writes'", "--writes", "many");
        assertFails("--warm is -1; allowed is 0 to 100000", "--warm", "-1");
        assertFails("--memories is 1001; allowed is 1 to 1000", "--memories", "1001");
        assertFails("--clients is 65; allowed is 1 to 64", "--clients", "65");
        assertFails("--jsn", "--jsn");
    }

    /** A whole gateway; how fast it is is no matter of a test. */
    @Test
    void everyWriteIsAcknowledgedAndNothingIsEmbedded() {
        assertThat(run("--writes", "10", "--warm", "2", "--memories", "3", "--clients", "2", "--json"))
                .isZero();

        JsonObject figures = new JsonObject(out.toString(StandardCharsets.UTF_8));
        assertThat(figures.getJsonObject("write_ms").getInteger("n")).isEqualTo(10);
        assertThat(figures.getInteger("jobs_waiting")).isEqualTo(36);
        assertThat(figures.getValue("goal_p50_ms")).isNull();
        assertThat(figures.getBoolean("met")).isTrue();
    }

    private void assertFails(String words, String... arguments) {
        err.getBuffer().setLength(0);
        assertThat(run(arguments)).isEqualTo(2);
        assertThat(err.toString()).contains(words);
        assertThat(out.size()).isZero();
    }

    private int run(String... arguments) {
        CommandLine command = WriteBench.command(
                new PrintStream(out, true, StandardCharsets.UTF_8),
                new PrintStream(new ByteArrayOutputStream(), true, StandardCharsets.UTF_8));
        command.setErr(new PrintWriter(err, true));
        command.setOut(new PrintWriter(help, true));
        return command.execute(arguments);
    }
}
