package io.recallgate.gateway.conversation.evidence;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.recallgate.gateway.conversation.turn.Phase;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Collectors;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The JVM's own recorder, as it is. */
@Timeout(120)
class FlightRecorderTest {

    private static final Overrun OVERRUN = new Overrun("r1", Phase.SELECT, 1_600, 1_500, "select;dur=1600.00");

    @TempDir
    Path directory;

    private final FlightRecorder recorder = new FlightRecorder();

    @AfterEach
    void stop() {
        recorder.stop();
    }

    @Test
    void whatIsWrittenShowsWhatThreadsDidBeforeItWasAskedFor() throws Exception {
        recorder.start();
        Instant began = Instant.now();
        Thread held = hold();
        Path file = directory.resolve("a.jfr");

        recorder.write(file, OVERRUN);

        List<RecordedEvent> events = RecordingFile.readAllEvents(file);
        assertThat(events).anySatisfy(event -> {
            assertThat(event.getEventType().getName()).isEqualTo("jdk.JavaMonitorEnter");
            assertThat(event.getThread().getJavaName()).isEqualTo(held.getName());
            assertThat(event.getStartTime()).isBetween(began, Instant.now());
        });
        assertThat(events).anySatisfy(event -> {
            assertThat(event.getEventType().getName()).isEqualTo(OverrunEvent.NAME);
            assertThat(event.getString("requestId")).isEqualTo("r1");
            assertThat(event.getString("phase")).isEqualTo("select");
            assertThat(event.getLong("tookMillis")).isEqualTo(1_600);
        });
        assertThat(events).anySatisfy(event -> {
            assertThat(event.getEventType().getName()).isEqualTo("jdk.ThreadDump");
            assertThat(event.getString("result")).contains("whatIsWrittenShows");
        });
    }

    /** A thread that had to wait for a lock for longer than what is recorded. */
    private static Thread hold() throws InterruptedException {
        Object lock = new Object();
        CountDownLatch there = new CountDownLatch(1);
        Thread waits = new Thread(
                () -> {
                    there.countDown();
                    synchronized (lock) {
                        there.countDown();
                    }
                },
                "held-up");
        synchronized (lock) {
            waits.start();
            there.await();
            while (waits.getState() != Thread.State.BLOCKED) {
                Thread.onSpinWait();
            }
            long until = System.nanoTime() + 100_000_000;
            while (System.nanoTime() < until) {
                Thread.onSpinWait();
            }
        }
        waits.join();
        return waits;
    }

    @Test
    void nothingThatMayHaveASecretIsRecorded() throws IOException {
        System.setProperty("recallgate.test.secret", "hunter2-in-a-property");
        try {
            recorder.start();
            Path file = directory.resolve("a.jfr");
            thrown();
            recorder.write(file, OVERRUN);
            recorder.write(directory.resolve("b.jfr"), OVERRUN);

            Set<String> names = RecordingFile.readAllEvents(file).stream()
                    .map(event -> event.getEventType().getName())
                    .collect(Collectors.toCollection(TreeSet::new));
            assertThat(names).isSubsetOf(FlightRecorder.events());
            assertThat(FlightRecorder.events())
                    .doesNotContain(
                            "jdk.InitialSystemProperty",
                            "jdk.InitialEnvironmentVariable",
                            "jdk.JVMInformation",
                            "jdk.SystemProcess",
                            "jdk.ProcessStart",
                            "jdk.JavaExceptionThrow",
                            "jdk.JavaErrorThrow",
                            "jdk.SocketRead");
            assertThat(new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1))
                    .doesNotContain("hunter2-in-a-property", "hunter2-in-a-message");
        } finally {
            System.clearProperty("recallgate.test.secret");
        }
    }

    private static void thrown() {
        try {
            throw new IllegalStateException("hunter2-in-a-message");
        } catch (IllegalStateException caught) {
            assertThat(caught).isNotNull();
        }
    }

    @Test
    void whileSomebodyElseRecordsNothingOfTheirsIsWritten() throws IOException {
        recorder.start();
        Path file = directory.resolve("a.jfr");
        try (Recording theirs = new Recording()) {
            theirs.enable("jdk.InitialSystemProperty");
            theirs.start();
            assertThatThrownBy(() -> recorder.write(file, OVERRUN)).hasMessageContaining("somebody else records");
        }
        assertThat(file).doesNotExist();
    }

    @Test
    void itCanBeStoppedAndBegunAgain() throws IOException {
        recorder.stop();
        recorder.start();
        recorder.stop();
        assertThatThrownBy(() -> recorder.write(directory.resolve("a.jfr"), OVERRUN))
                .isInstanceOf(IOException.class);
        recorder.start();

        recorder.write(directory.resolve("b.jfr"), OVERRUN);

        assertThat(directory.resolve("b.jfr")).isNotEmptyFile();
    }
}
