package io.recallgate.gateway.conversation.evidence;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.recallgate.gateway.conversation.turn.Phase;
import io.recallgate.time.FakeClock;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** How many recordings are kept, how often one is written, and what happens when none can be. */
class OverrunCapturesTest {

    private static final Overrun OVERRUN = new Overrun("r1", Phase.SELECT, 1_600, 1_500, "select;dur=1600.00");

    @TempDir
    Path directory;

    private final FakeClock clock = new FakeClock();
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final Scripted recorder = new Scripted();
    private final Logger logger = (Logger) LoggerFactory.getLogger(OverrunCaptures.class);
    private final ListAppender<ILoggingEvent> log = new ListAppender<>();

    @BeforeEach
    void listen() {
        log.start();
        logger.addAppender(log);
    }

    @AfterEach
    void listenNoMore() {
        logger.detachAppender(log);
    }

    private static final class Scripted implements Recorder {
        private boolean running;
        private boolean starts = true;
        private long bytes = 3;
        private int written;

        @Override
        public void start() throws IOException {
            if (!starts) {
                throw new IOException("this Java has no flight recorder");
            }
            running = true;
        }

        @Override
        public void write(Path file, Overrun overrun) throws IOException {
            Files.writeString(file, "" + written++);
            try (SeekableByteChannel channel = Files.newByteChannel(file, StandardOpenOption.WRITE)) {
                channel.position(bytes - 1).write(ByteBuffer.wrap(new byte[1]));
            }
        }

        @Override
        public void stop() {
            running = false;
        }
    }

    private OverrunCaptures captures(Path to, int files) {
        OverrunCaptures captures =
                new OverrunCaptures(recorder, new CaptureOptions(to, files), Runnable::run, clock, registry);
        captures.start();
        return captures;
    }

    private double counted(String outcome) {
        return registry.get("recallgate.turn.overruns")
                .tag("capture", outcome)
                .counter()
                .count();
    }

    private List<String> files() throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }

    private List<String> warnings() {
        return log.list.stream()
                .filter(line -> line.getLevel() == Level.WARN)
                .map(ILoggingEvent::getFormattedMessage)
                .toList();
    }

    @Test
    void theLogSaysWhichTurnAndWhereTheRecordingIs() throws IOException {
        captures(directory, 8).report(OVERRUN);

        assertThat(files()).containsExactly("overrun-20260101T000000.000Z-select.jfr");
        assertThat(warnings())
                .containsExactly(
                        "turn r1: select took 1600 ms, and 1500 ms are allowed; what this process did then is in "
                                + directory.resolve(files().get(0)));
        assertThat(counted("recorded")).isEqualTo(1);
    }

    @Test
    void theNewestAreKeptAndNothingElseInTheDirectoryIsTouched() throws IOException {
        Files.writeString(directory.resolve("overrun-mine.jfr"), "somebody's own");
        OverrunCaptures captures = captures(directory, 2);

        for (int i = 0; i < 4; i++) {
            captures.report(OVERRUN);
            clock.advance(Duration.ofNanos(OverrunCaptures.PAUSE_NANOS));
        }

        assertThat(files())
                .containsExactly(
                        "overrun-20260101T000800.000Z-select.jfr",
                        "overrun-20260101T001200.000Z-select.jfr",
                        "overrun-mine.jfr");
    }

    @Test
    void thereIsAPauseBetweenTwo() throws IOException {
        OverrunCaptures captures = captures(directory, 8);

        captures.report(OVERRUN);
        clock.advance(Duration.ofNanos(OverrunCaptures.PAUSE_NANOS - 1));
        captures.report(OVERRUN);
        assertThat(files()).hasSize(1);
        assertThat(counted("paused")).isEqualTo(1);

        clock.advance(Duration.ofNanos(1));
        captures.report(OVERRUN);
        assertThat(files()).hasSize(2);
    }

    @Test
    void oneThatIsTooLargeIsNotKeptAndTakesNoOtherAway() throws IOException {
        OverrunCaptures captures = captures(directory, 1);
        captures.report(OVERRUN);
        clock.advance(Duration.ofNanos(OverrunCaptures.PAUSE_NANOS));
        recorder.bytes = OverrunCaptures.MAX_BYTES + 1;

        captures.report(OVERRUN);

        assertThat(files()).containsExactly("overrun-20260101T000000.000Z-select.jfr");
        assertThat(warnings().get(1)).contains("no recording of it could be written", "bytes");
        assertThat(counted("failed")).isEqualTo(1);
    }

    @Test
    void aDirectoryThatCannotBeWrittenIsALineInTheLogAndNoFailure() throws IOException {
        Path blocked = Files.writeString(directory.resolve("file"), "").resolve("captures");

        captures(blocked, 8).report(OVERRUN);

        assertThat(counted("failed")).isEqualTo(1);
        assertThat(warnings()).hasSize(1);
        assertThat(warnings().get(0)).contains("turn r1: select took 1600 ms", blocked.toString());
    }

    @Test
    void withNoFilesToKeepNothingIsEvenRecorded() throws IOException {
        OverrunCaptures captures = captures(directory, 0);

        captures.report(OVERRUN);

        assertThat(recorder.running).isFalse();
        assertThat(files()).isEmpty();
        assertThat(counted("off")).isEqualTo(1);
    }

    @Test
    void aRecorderThatDoesNotStartIsSaidOnce() throws IOException {
        recorder.starts = false;
        OverrunCaptures captures = captures(directory, 8);

        captures.report(OVERRUN);

        assertThat(warnings())
                .containsExactly("phases that overrun will leave no recording: this Java has no flight recorder");
        assertThat(files()).isEmpty();
        assertThat(counted("off")).isEqualTo(1);
    }

    @Test
    void aStopEndsTheRecordingAndKeepsTheFiles() throws IOException {
        OverrunCaptures captures = captures(directory, 8);
        captures.report(OVERRUN);

        captures.stop();
        clock.advance(Duration.ofNanos(OverrunCaptures.PAUSE_NANOS));
        captures.report(OVERRUN);

        assertThat(recorder.running).isFalse();
        assertThat(files()).hasSize(1);
        assertThat(counted("off")).isEqualTo(1);
    }
}
