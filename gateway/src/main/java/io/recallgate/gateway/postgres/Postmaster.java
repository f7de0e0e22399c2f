package io.recallgate.gateway.postgres;

import io.recallgate.time.Clock;
import io.recallgate.time.Deadline;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A running server process, ours or one that an earlier gateway left behind: how to recognise it and how to stop it.
 */
final class Postmaster {

    private static final Logger LOG = LoggerFactory.getLogger(Postmaster.class);

    /** Which line of postmaster.pid says what. */
    private static final int PID_LINE = 0;

    private static final int STATUS_LINE = 7;

    private static final long SIGNAL_SECONDS = 5;

    private final ProcessHandle process;

    Postmaster(ProcessHandle process) {
        this.process = process;
    }

    /**
     * How to ask.
     *
     * @param signal its name
     * @param boundMillis how long to wait for the exit
     */
    private record Request(String signal, long boundMillis) {}

    /**
     * Ends sessions and writes a checkpoint; then ends without one, so that the next start recovers; then kills. The
     * first usually takes a tenth of a second.
     */
    private static List<Request> requests(long fastMillis) {
        return List.of(new Request("INT", fastMillis), new Request("QUIT", 1_500), new Request("KILL", 1_500));
    }

    /**
     * The server that runs on these files, if the file that names it is there and the process it names is really one.
     * A number alone proves nothing: after a restart of the machine it may be anybody's.
     */
    static Optional<Postmaster> leftBehind(PostgresFiles files) throws IOException {
        List<String> lines = lines(files);
        if (lines.size() <= PID_LINE) {
            return Optional.empty();
        }
        Optional<ProcessHandle> process = pid(lines).flatMap(ProcessHandle::of).filter(ProcessHandle::isAlive);
        if (process.isEmpty()) {
            return Optional.empty();
        }
        if (runsOn(process.get(), files.pgdata())) {
            return Optional.of(new Postmaster(process.get()));
        }
        // PostgreSQL would take the stranger for a server and refuse to start. We hold the directory's lock and the
        // process is none, so the file is stale.
        LOG.info(
                "{} names process {}, which is not PostgreSQL; removing it",
                files.postmasterPid(),
                process.get().pid());
        Files.deleteIfExists(files.postmasterPid());
        return Optional.empty();
    }

    /** Whether the server of process {@code pid} accepts connections. */
    static boolean isReady(PostgresFiles files, long pid) throws IOException {
        List<String> lines = lines(files);
        return lines.size() > STATUS_LINE
                && pid(lines).filter(found -> found == pid).isPresent()
                && lines.get(STATUS_LINE).strip().equals("ready");
    }

    private static Optional<Long> pid(List<String> lines) {
        try {
            return Optional.of(Long.parseLong(lines.get(PID_LINE).strip()));
        } catch (NumberFormatException damaged) {
            return Optional.empty();
        }
    }

    private static List<String> lines(PostgresFiles files) throws IOException {
        try {
            return Files.readAllLines(files.postmasterPid());
        } catch (NoSuchFileException none) {
            return List.of();
        }
    }

    private static boolean runsOn(ProcessHandle process, Path pgdata) {
        String[] arguments = process.info().arguments().orElse(new String[0]);
        String command = process.info().command().orElse("");
        return command.endsWith("postgres") && List.of(arguments).contains(pgdata.toString());
    }

    long pid() {
        return process.pid();
    }

    /**
     * Stops it, the harder the longer it takes.
     *
     * @param fastMillis how long an orderly stop may take
     * @return whether the process has ended
     */
    boolean stop(Clock clock, long fastMillis) throws IOException, InterruptedException {
        for (Request request : requests(fastMillis)) {
            if (!process.isAlive()) {
                return true;
            }
            signal(request.signal());
            if (awaitExit(Deadline.afterMillis(clock, request.boundMillis()))) {
                return true;
            }
            LOG.warn("PostgreSQL {} did not end within {} ms of {}", pid(), request.boundMillis(), request.signal());
        }
        return !process.isAlive();
    }

    private boolean awaitExit(Deadline deadline) throws InterruptedException {
        try {
            process.onExit().get(Math.max(1, deadline.remainingMillis()), TimeUnit.MILLISECONDS);
            return true;
        } catch (TimeoutException stillRunning) {
            return false;
        } catch (ExecutionException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    /** Java can send TERM and KILL only, and TERM lets PostgreSQL wait for its clients. Every system has this shell. */
    private void signal(String signal) throws IOException, InterruptedException {
        Process kill = new ProcessBuilder("/bin/sh", "-c", "kill -" + signal + " " + pid())
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        if (!kill.waitFor(SIGNAL_SECONDS, TimeUnit.SECONDS)) {
            kill.destroyForcibly();
        }
    }
}
