package io.recallgate.bench.importing;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import picocli.CommandLine;

@Timeout(600)
class ImportBenchTest {

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final StringWriter err = new StringWriter();
    private final StringWriter help = new StringWriter();

    @Test
    void helpTeachesByExampleAndNamesTheGoals() {
        assertThat(run("--help")).isZero();
        assertThat(help.toString()).contains("--memories", "0.9", "./recallgate bench import --memories 5000");
    }

    @Test
    void whatIsWrongWithAnOptionIsSaidWithWhatIsAllowed() {
        assertFails("--memories is 99; allowed is 100 to 200000", "--memories", "99");
        assertFails("--pool-texts is 0; allowed is 100 to 100000", "--pool-texts", "0");
        assertFails("--recalls is 51; allowed is 1 to 50", "--recalls", "51");
        assertFails("--idle-recalls is 1; allowed is 10 to 10000", "--idle-recalls", "1");
        assertFails("'--memories'", "--memories", "many");
    }

    @Test
    void theSameSeedGivesTheSameTextsAndNoTwoAreAlike() {
        List<String> texts = new ImportTexts(3, 0).some(1_000);

        assertThat(texts).isEqualTo(new ImportTexts(3, 0).some(1_000)).isNotEqualTo(new ImportTexts(4, 0).some(1_000));
        assertThat(new HashSet<>(texts)).hasSize(1_000);
        assertThat(texts).allSatisfy(text -> assertThat(text.split(" ", -1)).hasSizeBetween(16, 51));
    }

    /** A whole gateway; how fast it is is no matter of a test. */
    @Test
    void allMemoriesAreEmbeddedWithRecallsBesideAndLooksAtTheHeap() {
        run("--memories", "300", "--pool-texts", "100", "--recalls", "5", "--idle-recalls", "10", "--json");

        JsonObject figures = new JsonObject(out.toString(StandardCharsets.UTF_8));
        assertThat(figures.getJsonObject("import").getInteger("texts")).isEqualTo(300);
        assertThat(figures.getJsonObject("pool_before").getInteger("texts")).isEqualTo(100);
        assertThat(figures.getJsonObject("pool_after").getDouble("per_second")).isPositive();
        assertThat(figures.getJsonObject("recall_ms").getInteger("n")).isPositive();
        assertThat(figures.getJsonObject("recall_idle_ms").getInteger("n")).isPositive();
        assertThat(figures.getInteger("degraded")).isZero();
        assertThat(figures.getDouble("share_by_cpu")).isPositive();
        assertThat(figures.getDouble("share_without_recalls")).isGreaterThan(figures.getDouble("share_by_cpu"));
        JsonArray heap = figures.getJsonArray("heap");
        assertThat(heap.getJsonObject(heap.size() - 1).getInteger("memories")).isEqualTo(300);
        assertThat(heap.getJsonObject(heap.size() - 1).getLong("cache_bytes")).isPositive();
    }

    private void assertFails(String words, String... arguments) {
        err.getBuffer().setLength(0);
        assertThat(run(arguments)).isEqualTo(2);
        assertThat(err.toString()).contains(words);
        assertThat(out.size()).isZero();
    }

    private int run(String... arguments) {
        CommandLine command = ImportBench.command(
                new PrintStream(out, true, StandardCharsets.UTF_8),
                new PrintStream(new ByteArrayOutputStream(), true, StandardCharsets.UTF_8));
        command.setErr(new PrintWriter(err, true));
        command.setOut(new PrintWriter(help, true));
        return command.execute(arguments);
    }
}
