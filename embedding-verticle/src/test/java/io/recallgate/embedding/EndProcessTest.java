package io.recallgate.embedding;

import static org.assertj.core.api.Assertions.assertThat;

import io.recallgate.time.Deadline;
import io.recallgate.time.SystemClock;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The end of a process when something else in it stands still. */
@Timeout(300)
class EndProcessTest {

    private static final int STATUS = 7;

    private static final long BOUND_SECONDS = 120;

    /** Ends with a shutdown hook that never returns. */
    static final class StuckHook {
        private StuckHook() {}

        public static void main(String[] arguments) {
            Runtime.getRuntime().addShutdownHook(new Thread(() -> {
                try {
                    new CountDownLatch(1).await();
                } catch (InterruptedException nobodyDoes) {
                    Thread.currentThread().interrupt();
                }
            }));
            ProcessSignals.endProcess(STATUS, Deadline.afterMillis(SystemClock.INSTANCE, 100));
        }
    }

    @Test
    void aShutdownHookThatNeverReturnsDoesNotKeepTheProcess() throws Exception {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx64m",
                        "-cp",
                        System.getProperty("java.class.path"),
                        StuckHook.class.getName())
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        try {
            assertThat(process.waitFor(BOUND_SECONDS, TimeUnit.SECONDS)).isTrue();
            assertThat(process.exitValue()).isEqualTo(STATUS);
        } finally {
            process.destroyForcibly();
        }
    }
}
