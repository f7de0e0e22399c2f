package io.recallgate.embedding;

import static org.assertj.core.api.Assertions.assertThat;

import io.recallgate.embedding.model.RealModel;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** CONTRACTS A24b: how a process with running native code ends. */
@Timeout(1_200)
class SignalTest {

    /** More than {@link SignalMain} gives the pool and the native gate: a process that ends by itself ends before. */
    private static final long BOUND_SECONDS = 180;

    @TempDir
    Path work;

    @BeforeAll
    static void extractTheModel() {
        RealModel.factory().open(RealModel.NAME).close();
    }

    @ParameterizedTest
    @CsvSource({"running,TERM,143", "running,INT,130", "loading,TERM,143", "stuck,TERM,143"})
    void aSignalEndsTheProcessInTimeWithItsStatusAndWithoutACrash(String scene, String signal, int status)
            throws Exception {
        endsCleanly(scene, signal, status);
    }

    @Tag("long")
    @ParameterizedTest
    @CsvSource({
        "running,TERM,143",
        "running,INT,130",
        "loading,TERM,143",
        "loading,INT,130",
        "stuck,TERM,143",
        "stuck,INT,130"
    })
    void twentySignalsEndTwentyProcessesWithoutACrash(String scene, String signal, int status) throws Exception {
        for (int round = 0; round < 20; round++) {
            endsCleanly(scene, signal, status);
        }
    }

    private void endsCleanly(String scene, String signal, int status) throws IOException, InterruptedException {
        // A process that a signal ends has 128 and its number for a status.
        IgnoredSignals.assumeHeeded(signal, status - 128);
        Process process = new ProcessBuilder(List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx256m",
                        "-XX:ErrorFile=" + work.resolve("hs_err_%p.log"),
                        "-cp",
                        System.getProperty("java.class.path"),
                        SignalMain.class.getName(),
                        scene,
                        RealModel.dataDirectory().toString()))
                .directory(work.toFile())
                .redirectErrorStream(true)
                .start();
        try (BufferedReader output = process.inputReader()) {
            String line = output.readLine();
            while (line != null && !line.equals("READY")) {
                line = output.readLine();
            }
            assertThat(line).as("the process set its scene").isEqualTo("READY");

            new ProcessBuilder("kill", "-" + signal, Long.toString(process.pid()))
                    .start()
                    .waitFor();

            boolean ended = process.waitFor(BOUND_SECONDS, TimeUnit.SECONDS);
            assertThat(ended).as("ended within %s s", BOUND_SECONDS).isTrue();
            assertThat(process.exitValue()).isEqualTo(status);
            // The virtual machine's own handling has the same status; only ours waits for native code.
            List<String> last = output.lines().toList();
            assertThat(last).contains("STOPPING " + status);
            assertThat(last.stream().anyMatch(said -> said.contains("halting, since native code did not return")))
                    .as("halted; said %s", last)
                    .isEqualTo(scene.equals("stuck"));
            try (Stream<Path> files = Files.list(work)) {
                assertThat(files).as("no crash report").isEmpty();
            }
        } finally {
            process.destroyForcibly();
        }
    }
}
