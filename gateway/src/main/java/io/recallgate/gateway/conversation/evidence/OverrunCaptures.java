package io.recallgate.gateway.conversation.evidence;

import io.micrometer.core.instrument.MeterRegistry;
import io.recallgate.gateway.metrics.GatewayMetric;
import io.recallgate.time.Clock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Has a recording written for a phase that overran, now and then: bounded in how many are kept, in how large one is and in how
 * often. What cannot be written is said in the log and counted, and is never a turn's affair. Thread-safe.
 */
public final class OverrunCaptures implements Overruns {

    private static final Logger LOG = LoggerFactory.getLogger(OverrunCaptures.class);

    /**
     * Between two. What overruns a hundred times a minute has one cause, and the files that are kept by default then show the first
     * half hour of it.
     */
    static final long PAUSE_NANOS = TimeUnit.MINUTES.toNanos(4);

    /** A recording is a few megabytes; one that is beyond this is not kept. */
    static final long MAX_BYTES = 48L << 20;

    /** Few can come at once: there are minutes between two, and a start and a stop. */
    private static final int MAX_WAITING = 16;

    private static final long IDLE_SECONDS = 10;

    private static final DateTimeFormatter STAMP =
            DateTimeFormatter.ofPattern("yyyyMMdd'T'HHmmss.SSS'Z'", Locale.ROOT).withZone(ZoneOffset.UTC);

    /** Only what has our form of a name is counted and removed. */
    private static final Predicate<String> OURS =
            Pattern.compile("overrun-\\d{8}T\\d{6}\\.\\d{3}Z-[a-z]+\\.jfr").asMatchPredicate();

    private static final String UNFINISHED = ".overrun.part";

    private final Recorder recorder;
    private final CaptureOptions options;
    private final Executor thread;
    private final Clock clock;
    private final MeterRegistry registry;

    private boolean running;
    private boolean everWritten;
    private long lastNanos;

    /**
     * Records nothing before {@link #start}.
     *
     * @param thread that may block; one, so that what it is given is done in its order
     */
    public OverrunCaptures(
            Recorder recorder, CaptureOptions options, Executor thread, Clock clock, MeterRegistry registry) {
        this.recorder = recorder;
        this.options = options;
        this.thread = thread;
        this.clock = clock;
        this.registry = registry;
        GatewayMetric.TURN_OVERRUNS.all(registry);
    }

    /**
     * With the JVM's flight recorder and a thread of its own. Not one of Vert.x's, which end with it and drop what is still to be
     * done: the recorder would go on for as long as the process lives.
     */
    public static OverrunCaptures of(CaptureOptions options, Clock clock, MeterRegistry registry) {
        ThreadPoolExecutor thread = new ThreadPoolExecutor(
                1, 1, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(MAX_WAITING), task -> {
                    Thread made = new Thread(task, "recallgate-captures");
                    made.setDaemon(true);
                    return made;
                });
        thread.allowCoreThreadTimeOut(true);
        return new OverrunCaptures(new FlightRecorder(), options, thread, clock, registry);
    }

    /** Begins to remember, unless no files are to be kept. */
    public void start() {
        if (options.files() == 0) {
            return;
        }
        thread.execute(() -> {
            try {
                recorder.start();
                running(true);
            } catch (IOException | RuntimeException unable) {
                LOG.warn("phases that overrun will leave no recording: {}", unable.getMessage());
            }
        });
    }

    /** Ends it. */
    public void stop() {
        running(false);
        thread.execute(recorder::stop);
    }

    private synchronized void running(boolean now) {
        running = now;
    }

    @Override
    public void report(Overrun overrun) {
        String outcome = take();
        if (!outcome.isEmpty()) {
            count(outcome);
            return;
        }
        try {
            thread.execute(() -> capture(overrun));
        } catch (RuntimeException stopping) {
            count("off");
        }
    }

    /** Whether it is time for one: empty, or why not. */
    private synchronized String take() {
        if (!running) {
            return "off";
        }
        long now = clock.nanoTime();
        if (everWritten && now - lastNanos < PAUSE_NANOS) {
            return "paused";
        }
        everWritten = true;
        lastNanos = now;
        return "";
    }

    private void count(String outcome) {
        GatewayMetric.TURN_OVERRUNS.counter(registry, outcome).increment();
    }

    private void capture(Overrun overrun) {
        try {
            Path file = write(overrun);
            count("recorded");
            LOG.warn(
                    "turn {}: {} took {} ms, and {} ms are allowed; what this process did then is in {}",
                    overrun.requestId(),
                    overrun.phase().label(),
                    overrun.tookMillis(),
                    overrun.boundMillis(),
                    file);
        } catch (IOException | RuntimeException unwritten) {
            count("failed");
            LOG.warn(
                    "turn {}: {} took {} ms, and {} ms are allowed; no recording of it could be written to {}: {}",
                    overrun.requestId(),
                    overrun.phase().label(),
                    overrun.tookMillis(),
                    overrun.boundMillis(),
                    options.directory(),
                    reason(unwritten));
        }
    }

    private Path write(Overrun overrun) throws IOException {
        Path directory = directory();
        Path part = directory.resolve(UNFINISHED);
        Files.deleteIfExists(part);
        try {
            recorder.write(part, overrun);
            long bytes = Files.size(part);
            if (bytes > MAX_BYTES) {
                throw new IOException("it would be " + bytes + " bytes");
            }
            Path file = directory.resolve(name(overrun));
            Files.move(part, file, StandardCopyOption.ATOMIC_MOVE);
            // Last: what could not be written takes nothing away.
            trim(directory);
            return file;
        } finally {
            Files.deleteIfExists(part);
        }
    }

    /** Not for other users of the machine: stacks and file names are nobody's business. */
    private Path directory() throws IOException {
        Path directory = options.directory();
        if (!Files.isDirectory(directory)) {
            Files.createDirectories(directory);
            if (directory.getFileSystem().supportedFileAttributeViews().contains("posix")) {
                Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwx------"));
            }
        }
        return directory;
    }

    private String name(Overrun overrun) {
        Instant now = clock.instant();
        return "overrun-" + STAMP.format(now) + "-" + overrun.phase().label() + ".jfr";
    }

    private void trim(Path directory) throws IOException {
        List<Path> oldestFirst;
        try (Stream<Path> files = Files.list(directory)) {
            oldestFirst = files.filter(file -> OURS.test(file.getFileName().toString()))
                    .sorted()
                    .toList();
        }
        for (Path file : oldestFirst.subList(0, Math.max(0, oldestFirst.size() - options.files()))) {
            Files.deleteIfExists(file);
        }
    }

    /** A file system's own exceptions say little but the file's name. */
    private static String reason(Exception cause) {
        return cause.getClass() == IOException.class
                ? String.valueOf(cause.getMessage())
                : cause.getClass().getSimpleName() + ": " + cause.getMessage();
    }
}
