package io.recallgate.bench.write;

import static org.assertj.core.api.Assertions.assertThat;

import io.recallgate.bench.BenchCommandRun;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(300)
class WriteBenchTest {

    private final BenchCommandRun line = new BenchCommandRun(WriteBench::command);

    @Test
    void theScriptShowsTheHelpOfTheCommand() throws IOException {
        line.assertHelpIs(Path.of("src/test/resources/bench-write-help.txt"));
    }

    @Test
    void whatIsWrongWithAnOptionIsSaidWithWhatIsAllowed() {
        line.assertRefused("--writes is 0; allowed is 10 to 100000", "--writes", "0");
        line.assertRefused("'--writes'", "--writes", "many");
        line.assertRefused("--warm is -1; allowed is 0 to 100000", "--warm", "-1");
        line.assertRefused("--memories is 1001; allowed is 1 to 1000", "--memories", "1001");
        line.assertRefused("--clients is 65; allowed is 1 to 64", "--clients", "65");
        line.assertRefused("--jsn", "--jsn");
    }

    /** A whole gateway; how fast it is is no matter of a test. */
    @Test
    void everyWriteIsAcknowledgedAndNothingIsEmbedded() {
        assertThat(line.run("--writes", "10", "--warm", "2", "--memories", "3", "--clients", "2", "--json"))
                .isZero();

        JsonObject figures = new JsonObject(line.figures());
        assertThat(figures.getJsonObject("write_ms").getInteger("n")).isEqualTo(10);
        assertThat(figures.getInteger("jobs_waiting")).isEqualTo(36);
        assertThat(figures.getValue("goal_p50_ms")).isNull();
        assertThat(figures.getBoolean("met")).isTrue();
    }
}
