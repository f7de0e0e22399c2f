package io.recallgate.gateway.conversation.evidence;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import jdk.jfr.EventSettings;
import jdk.jfr.Recording;
import jdk.jfr.RecordingState;
import org.jspecify.annotations.Nullable;

/**
 * The JVM's own recorder as a small ring that is always on. A phase is known to have overrun when its time is up, and by then
 * most causes are over: a collection, a burst of work on the machine, a lock that somebody held, a disk that was slow to write.
 * A recording that began then would show the time after them, and beginning one takes some hundred milliseconds of a core, in a
 * process that has none to spare. So what has happened is kept all the time, and written down when it is asked for, which takes
 * some ten milliseconds on a thread of its own.
 *
 * <p>What is recorded is this list and nothing else: where threads run, wait and write, collections, compilations, and the use of
 * processors. No event that has a message of an exception, an environment variable, a system property, an argument of a process or
 * what is read or written is among them. While somebody else records in the same process, nothing is written: the events of
 * all recordings share their files, and what theirs have is not ours to choose. Rings of other gateways in the process have the same.
 *
 * <p>The JVM keeps the ring in files of 12 MiB in its temporary directory, as it does for every recording, and drops old ones.
 */
public final class FlightRecorder implements Recorder {

    /** Of every ring. */
    private static final String NAME = "recallgate";

    /** Stacks of running threads; as often as the JVM's own settings for recording all the time have it. */
    private static final Duration SAMPLE_EVERY = Duration.ofMillis(20);

    /** What is shorter holds up nobody: the JVM's own settings have the same. */
    private static final Duration LONG = Duration.ofMillis(20);

    /** Files of the JVM's that are full are kept for so long and up to so many bytes, beside the one that is being filled. */
    private static final Duration MAX_AGE = Duration.ofMinutes(2);

    private static final long MAX_BYTES = 12L << 20;

    private static final Map<String, Duration> PERIODIC = Map.of(
            "jdk.ExecutionSample", SAMPLE_EVERY,
            "jdk.CPULoad", Duration.ofSeconds(1),
            "jdk.ThreadCPULoad", Duration.ofSeconds(10));

    private static final Set<String> WHEN_LONG = Set.of(
            "jdk.ThreadPark",
            "jdk.JavaMonitorEnter",
            "jdk.JavaMonitorWait",
            "jdk.FileForce",
            "jdk.FileWrite",
            "jdk.FileRead",
            "jdk.ExecuteVMOperation",
            "jdk.Compilation");

    private static final Set<String> ALWAYS = Set.of(
            "jdk.GarbageCollection", "jdk.GCPhasePause", "jdk.GCHeapSummary", "jdk.CodeCacheFull", OverrunEvent.NAME);

    /** Where every thread is when the recording is written: what still hangs is found there. */
    private static final String THREADS = "jdk.ThreadDump";

    private @Nullable Recording ring;

    /** Remembers nothing yet. */
    public FlightRecorder() {}

    /** The names of everything that is recorded. */
    static Set<String> events() {
        return Stream.of(PERIODIC.keySet(), WHEN_LONG, ALWAYS, Set.of(THREADS))
                .flatMap(Set::stream)
                .collect(Collectors.toUnmodifiableSet());
    }

    @Override
    public void start() throws IOException {
        if (ModuleLayer.boot().findModule("jdk.jfr").isEmpty() || !jdk.jfr.FlightRecorder.isAvailable()) {
            throw new IOException("this Java has no flight recorder");
        }
        Recording begun = new Recording();
        try {
            begun.setName(NAME);
            begun.setToDisk(true);
            begun.setMaxAge(MAX_AGE);
            begun.setMaxSize(MAX_BYTES);
            PERIODIC.forEach((event, every) -> begun.enable(event).withPeriod(every));
            WHEN_LONG.forEach(event -> begun.enable(event).withThreshold(LONG));
            ALWAYS.forEach(begun::enable);
            EventSettings threads = begun.enable(THREADS);
            threads.with("period", "endChunk");
            begun.start();
        } catch (RuntimeException | LinkageError broken) {
            begun.close();
            throw new IOException("the flight recorder does not start: " + broken.getMessage(), broken);
        }
        ring = begun;
    }

    @Override
    public void write(Path file, Overrun overrun) throws IOException {
        Recording recording = ring;
        if (recording == null) {
            throw new IOException("nothing is recorded");
        }
        boolean others = jdk.jfr.FlightRecorder.getFlightRecorder().getRecordings().stream()
                .anyMatch(other -> !NAME.equals(other.getName()) && other.getState() == RecordingState.RUNNING);
        if (others) {
            throw new IOException("somebody else records in this process; their recording has this, too");
        }
        new OverrunEvent(overrun).commit();
        recording.dump(file);
    }

    @Override
    public void stop() {
        Recording recording = ring;
        ring = null;
        if (recording != null) {
            recording.close();
        }
    }
}
