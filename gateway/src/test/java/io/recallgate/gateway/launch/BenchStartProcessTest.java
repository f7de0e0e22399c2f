package io.recallgate.gateway.launch;

import static org.assertj.core.api.Assertions.assertThat;

import io.recallgate.bench.write.WriteBench;
import io.recallgate.gateway.postgres.Eventually;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Benches with gateways of their own as processes that are told to stop in the middle. */
@Timeout(300)
class BenchStartProcessTest {

    private static final long BOUND_SECONDS = 120;

    @TempDir
    Path temporary;

    @Test
    void toldToStopWhileItsGatewayStartsItLeavesNothingBehind() throws Exception {
        stoppedWhen(() -> data().isPresent(), "start", "--recalls", "1000000");
    }

    @Test
    void toldToStopWhileItsGatewayServesItLeavesNothingBehind() throws Exception {
        stoppedWhen(() -> data().isPresent() && postgres().isPresent(), "start", "--recalls", "1000000");
    }

    @Test
    void toldToStopInTheMiddleOfAReplayItLeavesNothingBehind() throws Exception {
        // Progress is shown from the tenth second on.
        stoppedWhen(() -> output().contains("replaying"), "replay", "--seconds", "10000", "--memories", "10");
    }

    @Test
    void toldToStopWhileWritesAreMeasuredTheyLeaveNothingBehind() throws Exception {
        stoppedWhen(WriteBench.class, () -> data().isPresent() && output().contains("writing"), "--writes", "100000");
    }

    private String output() {
        try {
            Path output = temporary.resolve("output.txt");
            return Files.exists(output) ? Files.readString(output) : "";
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void stoppedWhen(BooleanSupplier reached, String... arguments) throws Exception {
        List<String> bench = new ArrayList<>(List.of("bench"));
        bench.addAll(List.of(arguments));
        stoppedWhen(Main.class, reached, bench.toArray(String[]::new));
    }

    private void stoppedWhen(Class<?> main, BooleanSupplier reached, String... arguments) throws Exception {
        Path output = temporary.resolve("output.txt");
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-Djava.io.tmpdir=" + temporary,
                "-cp",
                System.getProperty("java.class.path"),
                main.getName()));
        command.addAll(List.of(arguments));
        ProcessBuilder builder =
                new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile());
        builder.environment().keySet().removeIf(name -> name.startsWith("RECALLGATE_"));
        builder.environment().put("RECALLGATE_EMBEDDING_PROVIDER", "none");
        Process bench = builder.start();
        Optional<ProcessHandle> postgres;
        List<ProcessHandle> children;
        try {
            Eventually.holds("the point to stop at", BOUND_SECONDS, () -> !bench.isAlive() || reached.getAsBoolean());
            assertThat(bench.isAlive()).as(Files.readString(output)).isTrue();
            postgres = postgres();
            children = bench.descendants().toList();
        } finally {
            bench.destroy();
            assertThat(bench.waitFor(BOUND_SECONDS, TimeUnit.SECONDS)).isTrue();
        }

        assertThat(bench.exitValue()).isEqualTo(143);
        assertThat(Files.readString(output)).doesNotContain("recallgate: ");
        assertThat(children).noneMatch(ProcessHandle::isAlive);
        assertThat(postgres.filter(ProcessHandle::isAlive)).isEmpty();
        assertThat(entries()).noneMatch(path -> path.getFileName().toString().startsWith("recallgate-bench"));
    }

    private Optional<Path> data() {
        return entries().stream()
                .filter(path -> path.getFileName().toString().startsWith("recallgate-bench-data"))
                .findFirst();
    }

    private Optional<ProcessHandle> postgres() {
        return data().flatMap(data -> {
            try {
                return GatewayProcess.postgres(data);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
    }

    private List<Path> entries() {
        try (Stream<Path> entries = Files.list(temporary)) {
            return entries.toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
