package io.recallgate.gateway.launch;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonObject;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code bench sessions} in a small form, with real gateways. How fast they are is no matter of a test. */
@Timeout(300)
class BenchSessionsProcessTest {

    private static final long BOUND_SECONDS = 240;

    private static final int WINDOW = 24_000;

    @TempDir
    Path temporary;

    @Test
    void turnsOfSmallSessionsAreMeasuredAndNothingIsWrongWithThem() throws Exception {
        JsonObject idle = scenario("idle");

        assertThat(idle.getJsonObject("upstream_ms").getInteger("n")).isEqualTo(12);
        assertThat(idle.getJsonObject("upstream_ms_by_messages").fieldNames()).containsExactly("60", "90");
        assertThat(idle.getJsonObject("windows")).isEqualTo(new JsonObject().put("full", 12));
        assertThat(idle.getJsonObject("cold_upstream_ms").getInteger("n")).isEqualTo(2);
        assertThat(idle.getJsonObject("window_tokens").getInteger("most")).isBetween(1_000, WINDOW);
    }

    @Test
    @Tag("long")
    void turnsThatAreGivenUpAndSentAgainAreCountedOnce() throws Exception {
        assertThat(scenario("cancellations").getJsonObject("upstream_ms").getInteger("n"))
                .isEqualTo(12);
    }

    private JsonObject scenario(String name) throws Exception {
        JsonObject figures = figures(
                "--scenario",
                name,
                "--messages",
                "60,90",
                "--turns",
                "6",
                "--warm",
                "1",
                "--memories",
                "20",
                "--window",
                Integer.toString(WINDOW),
                "--embeddings",
                "none",
                "--json");

        assertThat(figures.getJsonArray("violations")).isEmpty();
        assertThat(figures.getInteger("violation_count")).isZero();
        JsonObject scenario = figures.getJsonArray("scenarios").getJsonObject(0);
        assertThat(scenario.getString("scenario")).isEqualTo(name);
        return scenario;
    }

    private JsonObject figures(String... arguments) throws Exception {
        Path output = temporary.resolve("output.txt");
        Path errors = temporary.resolve("errors.txt");
        List<String> command = Stream.concat(
                        Stream.of(
                                Path.of(System.getProperty("java.home"), "bin", "java")
                                        .toString(),
                                "-Xmx256m",
                                "-XX:+UseSerialGC",
                                "-XX:TieredStopAtLevel=1",
                                "-Djava.io.tmpdir=" + temporary,
                                "-cp",
                                System.getProperty("java.class.path"),
                                Main.class.getName(),
                                "bench",
                                "sessions"),
                        Stream.of(arguments))
                .toList();
        Process bench = new ProcessBuilder(command)
                .redirectOutput(output.toFile())
                .redirectError(errors.toFile())
                .start();
        try {
            assertThat(bench.waitFor(BOUND_SECONDS, TimeUnit.SECONDS)).isTrue();
        } finally {
            bench.destroy();
        }
        String told = Files.readString(output);
        assertThat(told).as(Files.readString(errors)).contains("\"met\"");
        try (Stream<Path> left = Files.list(temporary)) {
            assertThat(left.map(path -> path.getFileName().toString()))
                    .noneMatch(name -> name.startsWith("recallgate-bench"));
        }
        return new JsonObject(told);
    }
}
