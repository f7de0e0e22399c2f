package io.recallgate.gateway.launch;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonObject;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * {@code bench replay}, {@code bench stalled} and {@code bench probes} in their small forms, with real gateways. How fast
 * those are is no matter of a test, so a missed goal is none either.
 */
@Timeout(600)
class BenchStalledProcessTest {

    private static final long BOUND_SECONDS = 300;

    @TempDir
    Path temporary;

    @Test
    @Tag("long")
    void aReplayTellsBothReplaysOfTheSameCallsAndThatOnlyTheLatterDegrades() throws Exception {
        JsonObject figures = figures(
                "replay",
                "--calls",
                "40",
                "--seconds",
                "2",
                "--stall-ms",
                "4000",
                "--stall-percent",
                "40",
                "--memories",
                "20",
                "--json");
        for (String replay : List.of("before", "after")) {
            JsonObject one = figures.getJsonObject(replay);
            assertThat(n(one, "lexical_ms")).isEqualTo(14);
            assertThat(n(one, "strict_ms")).isEqualTo(2);
            assertThat(n(one, "hybrid_ms")).isEqualTo(24);
            assertThat(n(one, "all_ms")).isEqualTo(40);
        }
        JsonObject before = figures.getJsonObject("before");
        assertThat(before.getInteger("asked")).isEqualTo(24);
        assertThat(before.getInteger("stalled")).isBetween(4, 16);
        assertThat(before.getJsonObject("degraded")).isEmpty();
        assertThat(max(before, "hybrid_ms")).isGreaterThan(4_000);
        JsonObject after = figures.getJsonObject("after");
        assertThat(after.getJsonObject("degraded").fieldNames()).contains("embedding-timeout");
        assertThat(after.getInteger("asked")).isLessThanOrEqualTo(24);
        assertThat(figures.getDouble("goal_max_ms")).isEqualTo(2_600);
        assertThat(figures.getLong("times_as_fast")).isEqualTo(10_063);
    }

    @Test
    void stalledMeasuresTheLimitTheDeadlineAndTheOpenBreaker() throws Exception {
        JsonObject figures = figures(
                "stalled", "--recalls", "20", "--rounds", "10", "--stall-ms", "4000", "--memories", "20", "--json");
        JsonObject limit = figures.getJsonObject("limit");
        assertThat(n(limit, "ms")).isEqualTo(20);
        assertThat(limit.getJsonObject("degraded").getInteger("embedding-timeout"))
                .isPositive();
        JsonObject deadline = figures.getJsonObject("deadline");
        assertThat(n(deadline, "ms")).isEqualTo(100);
        assertThat(deadline.getJsonObject("degraded").getInteger("deadline-exhausted"))
                .isPositive();
        assertThat(deadline.getJsonObject("degraded").fieldNames()).doesNotContain("embedding-timeout");
        assertThat(figures.getJsonObject("open").getJsonObject("degraded"))
                .isEqualTo(new JsonObject().put("embedding-circuit-open", 10));
        assertThat(n(figures.getJsonObject("lexical"), "ms")).isEqualTo(10);
    }

    /** What the pacing promises, of a provider that is cheap, dear, given up and refuses; not how often that lets it run. */
    @Test
    @Tag("long")
    void probesAreChargedNoMoreThanTheirDutyInAnyPhase() throws Exception {
        JsonObject figures = figures("probes", "--speed", "5", "--percent", "12", "--json");
        int attempts = 0;
        int pauses = 0;
        int shares = 0;
        for (Object each : figures.getJsonArray("rows")) {
            JsonObject row = (JsonObject) each;
            attempts += row.getInteger("attempts");
            // A phase that an attempt of the one before outlasted has nothing of its own to look at, and a row with a
            // single
            // attempt no pause.
            if (row.getDouble("charged_share") != null) {
                shares++;
                assertThat(row.getDouble("charged_share")).as(row.encode()).isLessThanOrEqualTo(0.2001);
            }
            if (row.getDouble("below_floor_ms") != null) {
                pauses++;
                assertThat(row.getDouble("below_floor_ms")).as(row.encode()).isLessThanOrEqualTo(0.1);
            }
        }
        assertThat(pauses).isPositive();
        assertThat(shares).isPositive();
        assertThat(figures.getJsonArray("rows")).hasSize(10);
        assertThat(attempts).isGreaterThan(4);
    }

    private static int n(JsonObject figures, String spans) {
        return figures.getJsonObject(spans).getInteger("n");
    }

    private static double max(JsonObject figures, String spans) {
        return figures.getJsonObject(spans).getDouble("max");
    }

    private JsonObject figures(String... arguments) throws Exception {
        Path output = temporary.resolve("output.txt");
        Path errors = temporary.resolve("errors.txt");
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m",
                "-XX:+UseSerialGC",
                "-Djava.io.tmpdir=" + temporary,
                "-cp",
                System.getProperty("java.class.path"),
                Main.class.getName(),
                "bench"));
        command.addAll(List.of(arguments));
        ProcessBuilder builder =
                new ProcessBuilder(command).redirectOutput(output.toFile()).redirectError(errors.toFile());
        // They are not what is measured here, and must not be: the bench has settings of its own.
        builder.environment().put("RECALLGATE_EMBEDDING_PROVIDER", "none");
        Process bench = builder.start();
        try {
            assertThat(bench.waitFor(BOUND_SECONDS, TimeUnit.SECONDS)).isTrue();
        } finally {
            bench.destroy();
        }
        String told = Files.readString(output);
        assertThat(told).as(Files.readString(errors)).contains("\"met\"");
        assertThat(bench.exitValue()).isEqualTo(told.contains("\"met\":true") ? 0 : 1);
        try (Stream<Path> left = Files.list(temporary)) {
            assertThat(left.map(path -> path.getFileName().toString()))
                    .noneMatch(name -> name.startsWith("recallgate-bench"));
        }
        return new JsonObject(told);
    }
}
