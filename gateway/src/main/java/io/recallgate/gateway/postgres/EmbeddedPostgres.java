package io.recallgate.gateway.postgres;

import io.recallgate.failure.FailureException;
import io.recallgate.time.Clock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A PostgreSQL that lives as long as the gateway does. A thread of its own watches it and starts it again when it dies,
 * with backoff and without end: the memories are in there, so there is nothing else to fall back to. One that an
 * earlier gateway left behind is stopped in good order, not adopted: only so do port, password and durable settings
 * certainly belong to this version.
 *
 * <p>It runs in a session of its own, so that Ctrl-C on a terminal stops the gateway and the gateway stops it.
 */
public final class EmbeddedPostgres {

    private static final Logger LOG = LoggerFactory.getLogger(EmbeddedPostgres.class);

    /** How often a running server's log is looked at. */
    private static final long LOG_LOOK_SECONDS = 60;

    private final PostgresServer server;
    private final PostgresEndpoint endpoint;
    private final PostgresOptions options;
    private final Clock clock;

    private final CountDownLatch stopRequested = new CountDownLatch(1);
    private final CountDownLatch stopped = new CountDownLatch(1);

    /** Guarded by this. */
    private Process process;

    private volatile PostgresState state = PostgresState.STARTING;

    private EmbeddedPostgres(
            PostgresServer server, PostgresEndpoint endpoint, PostgresOptions options, Clock clock, Process process) {
        this.server = server;
        this.endpoint = endpoint;
        this.options = options;
        this.clock = clock;
        this.process = process;
    }

    /**
     * Unpacks, initialises and starts what is not there yet, and returns when it accepts connections. Blocks: about
     * three seconds the first time, a fifth of a second afterwards.
     *
     * @throws FailureException {@code database-unavailable}, one line that says what is wrong and what to do
     * @throws InterruptedException if the thread is interrupted; what was started is stopped before
     */
    public static EmbeddedPostgres start(PostgresOptions options, Clock clock) throws InterruptedException {
        PostgresFiles files = new PostgresFiles(options.dataDir().resolve("postgres"));
        try {
            PostgresPlatform platform = PostgresPlatform.current();
            Files.createDirectories(files.root());
            stopLeftBehind(files, clock);
            PostgresBinaries binaries = PostgresBinaries.unpack(files, platform);
            RunAs runAs = RunAs.choose(platform, files.root(), binaries);
            PostgresCluster cluster = PostgresCluster.open(files, binaries, platform, runAs);
            PostgresServer server = new PostgresServer(files, binaries, platform, runAs, clock, options);
            PostgresEndpoint endpoint = new PostgresEndpoint(
                    PostgresServer.HOST,
                    server.port(),
                    PostgresCluster.DATABASE,
                    PostgresCluster.ROLE,
                    cluster.password());
            EmbeddedPostgres postgres = new EmbeddedPostgres(server, endpoint, options, clock, server.start());
            postgres.watch();
            return postgres;
        } catch (IOException unusable) {
            throw PostgresFailure.of(
                            "cannot use its files (" + reason(unusable)
                                    + "); make " + files.root()
                                    + " a directory that can be written, with 100 MB free, or set RECALLGATE_DATA_DIR to another")
                    .causedBy(unusable);
        }
    }

    /** Java's messages of these are often only the path; its names for them tell what is wrong. */
    private static String reason(IOException unusable) {
        return unusable.getClass().getSimpleName().replace("Exception", "") + ": " + unusable.getMessage();
    }

    private static void stopLeftBehind(PostgresFiles files, Clock clock) throws IOException, InterruptedException {
        Optional<Postmaster> left = Postmaster.leftBehind(files);
        if (left.isEmpty()) {
            return;
        }
        LOG.info(
                "a gateway that ended without stopping its PostgreSQL left process {}; stopping it",
                left.get().pid());
        if (!left.get().stop(clock, 10_000)) {
            throw PostgresFailure.of("of an earlier gateway is still running as process "
                    + left.get().pid() + " and cannot be stopped; end that process");
        }
    }

    /** Where it accepts connections. */
    public PostgresEndpoint endpoint() {
        return endpoint;
    }

    /** Where it is. Any thread. */
    public PostgresState state() {
        return state;
    }

    /** The server's process id; another one after a restart. */
    public synchronized long pid() {
        return process.pid();
    }

    /** Where the server's files are, for messages. */
    public Path dataDir() {
        return options.dataDir();
    }

    private void watch() {
        to(PostgresState.RUNNING);
        Thread watcher = new Thread(this::watchLoop, "recallgate-postgres-watch");
        watcher.setDaemon(true);
        watcher.start();
    }

    private void watchLoop() {
        try {
            int restarts = 0;
            while (!isStopRequested()) {
                Process watched = current();
                boolean exited = watched.waitFor(LOG_LOOK_SECONDS, TimeUnit.SECONDS);
                if (!exited) {
                    restarts = 0;
                    boundLog();
                } else if (!isStopRequested()) {
                    restarts = restart(watched.exitValue(), restarts);
                }
            }
        } catch (InterruptedException unexpected) {
            LOG.error("the watch over PostgreSQL was interrupted; it is not started again if it dies", unexpected);
            Thread.currentThread().interrupt();
        } finally {
            stopped.countDown();
        }
    }

    private void boundLog() {
        try {
            server.boundLog();
        } catch (IOException e) {
            LOG.warn("PostgreSQL's log could not be bounded", e);
        }
    }

    /** Tries until it runs or a stop is wanted; returns the number of restarts since it last ran for long. */
    private int restart(int exitStatus, int before) throws InterruptedException {
        if (!toUnlessStopping(PostgresState.RESTARTING)) {
            return before;
        }
        int restarts = before;
        LOG.warn("PostgreSQL ended by itself (status {}); starting it again", exitStatus);
        while (true) {
            restarts++;
            if (stopRequested.await(options.backoffMillis(restarts), TimeUnit.MILLISECONDS)) {
                return restarts;
            }
            try {
                if (adopt(server.start())) {
                    LOG.info("PostgreSQL is running again after {} tries", restarts);
                }
                return restarts;
            } catch (FailureException | IOException failed) {
                LOG.warn("try {}: {}", restarts, failed.getMessage());
            }
        }
    }

    /** Takes a restarted server over, unless a stop came in between: then it stops at once. */
    private boolean adopt(Process started) throws IOException, InterruptedException {
        synchronized (this) {
            process = started;
            if (toUnlessStopping(PostgresState.RUNNING)) {
                return true;
            }
        }
        new Postmaster(started.toHandle()).stop(clock, options.stopBoundMillis());
        return false;
    }

    private synchronized Process current() {
        return process;
    }

    private boolean isStopRequested() {
        return stopRequested.getCount() == 0;
    }

    /**
     * Stops it: in good order, and if that takes too long, anyhow. Blocks, at most about {@code stopBoundMillis} and
     * three seconds. Idempotent; a second caller waits for the first.
     *
     * @return whether its process has ended
     */
    public boolean stop() throws InterruptedException {
        synchronized (this) {
            if (!isStopRequested()) {
                to(PostgresState.STOPPING);
                stopRequested.countDown();
            }
        }
        boolean ended;
        try {
            ended = new Postmaster(current().toHandle()).stop(clock, options.stopBoundMillis());
        } catch (IOException e) {
            LOG.warn("PostgreSQL could not be asked to stop", e);
            ended = false;
        }
        // The watch may be just starting another one: it sees the request and stops that itself.
        ended &= stopped.await(options.stopBoundMillis() + 3_000, TimeUnit.MILLISECONDS)
                && !current().isAlive();
        if (ended) {
            toStopped();
        } else {
            LOG.error("PostgreSQL process {} did not end; the next start deals with it", pid());
        }
        return ended;
    }

    private synchronized void toStopped() {
        if (state != PostgresState.STOPPED) {
            to(PostgresState.STOPPED);
        }
    }

    private synchronized boolean toUnlessStopping(PostgresState next) {
        if (isStopRequested()) {
            return false;
        }
        to(next);
        return true;
    }

    private synchronized void to(PostgresState next) {
        if (!state.next().contains(next)) {
            throw new IllegalStateException("PostgreSQL cannot go from " + state + " to " + next);
        }
        LOG.debug("PostgreSQL {} -> {}", state, next);
        state = next;
    }
}
