package io.recallgate.gateway.postgres;

import io.recallgate.gateway.postgres.RunAs.Command;
import io.recallgate.time.Clock;
import io.recallgate.time.Deadline;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Starts server processes on one cluster, always with the same settings and on the same port. */
final class PostgresServer {

    static final String HOST = "127.0.0.1";

    private static final byte[] LOOPBACK = {127, 0, 0, 1};

    /** How often to look whether it is ready; a start takes about 100 ms. */
    private static final long LOOK_MILLIS = 10;

    /** How much of the log is searched for the reason of a failed start. */
    private static final int TAIL_BYTES = 64 << 10;

    /**
     * On the command line, so that no file can quietly weaken them. Durable first. Then small: this is one part of one
     * process tree on somebody's laptop. No replica is ever attached, so the log need not carry what only they need.
     */
    private static final Map<String, String> SETTINGS = Map.ofEntries(
            Map.entry("fsync", "on"),
            Map.entry("synchronous_commit", "on"),
            Map.entry("full_page_writes", "on"),
            Map.entry("password_encryption", "scram-sha-256"),
            Map.entry("listen_addresses", HOST),
            Map.entry("unix_socket_directories", ""),
            Map.entry("max_connections", "40"),
            Map.entry("superuser_reserved_connections", "3"),
            Map.entry("shared_buffers", "64MB"),
            Map.entry("work_mem", "8MB"),
            Map.entry("maintenance_work_mem", "64MB"),
            Map.entry("effective_cache_size", "512MB"),
            Map.entry("wal_level", "minimal"),
            Map.entry("max_wal_senders", "0"),
            Map.entry("min_wal_size", "80MB"),
            Map.entry("max_wal_size", "256MB"),
            Map.entry("max_worker_processes", "4"),
            Map.entry("max_parallel_workers", "2"),
            Map.entry("autovacuum_max_workers", "2"),
            Map.entry("jit", "off"),
            Map.entry("timezone", "UTC"),
            Map.entry("log_timezone", "UTC"),
            Map.entry("log_min_messages", "warning"),
            Map.entry("log_min_error_statement", "panic"),
            Map.entry("log_parameter_max_length", "0"),
            Map.entry("log_parameter_max_length_on_error", "0"),
            Map.entry("log_checkpoints", "off"),
            Map.entry("logging_collector", "off"));

    private final PostgresFiles files;
    private final PostgresBinaries binaries;
    private final PostgresPlatform platform;
    private final RunAs runAs;
    private final Clock clock;
    private final PostgresOptions options;
    private final int port;

    PostgresServer(
            PostgresFiles files,
            PostgresBinaries binaries,
            PostgresPlatform platform,
            RunAs runAs,
            Clock clock,
            PostgresOptions options)
            throws IOException {
        this.files = files;
        this.binaries = binaries;
        this.platform = platform;
        this.runAs = runAs;
        this.clock = clock;
        this.options = options;
        this.port = freePort();
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getByAddress(LOOPBACK))) {
            return socket.getLocalPort();
        }
    }

    int port() {
        return port;
    }

    /**
     * Starts a server and waits until it accepts connections.
     *
     * @throws io.recallgate.failure.FailureException one line, if it ended before or took too long
     */
    Process start() throws IOException, InterruptedException {
        boundLog();
        long logFrom = Files.exists(files.log()) ? Files.size(files.log()) : 0;
        Process process = runAs.process(command(), files.log().toFile()).start();
        try {
            awaitReady(process, logFrom);
        } catch (InterruptedException stopped) {
            // Somebody wants an end in the middle of the start: nobody else knows this process.
            new Postmaster(process.toHandle()).stop(clock, options.stopBoundMillis());
            throw stopped;
        }
        return process;
    }

    private void awaitReady(Process process, long logFrom) throws IOException, InterruptedException {
        Deadline deadline = Deadline.afterMillis(clock, options.startBoundMillis());
        while (!Postmaster.isReady(files, process.pid())) {
            // Either it ends, or it is time to look again.
            if (process.waitFor(LOOK_MILLIS, TimeUnit.MILLISECONDS)) {
                throw PostgresFailure.of("did not start: " + PostgresCluster.lastLine(logSince(logFrom))
                        + "; its log is " + files.log());
            }
            if (deadline.isPassed()) {
                new Postmaster(process.toHandle()).stop(clock, options.stopBoundMillis());
                throw PostgresFailure.of(
                        "was not ready within " + options.startBoundMillis() + " ms; its log is " + files.log());
            }
        }
    }

    private Command command() {
        List<String> arguments = new ArrayList<>();
        SETTINGS.forEach((name, value) -> {
            arguments.add("-c");
            arguments.add(name + "=" + value);
        });
        Command server = binaries.program("postgres", "-D", files.pgdata().toString(), "-p", String.valueOf(port))
                .and(arguments);
        return new Command(platform.ownSession()).and(server.words());
    }

    /** Keeps one older log. The server goes on appending to the same file, which is why it is emptied, not moved. */
    void boundLog() throws IOException {
        if (Files.exists(files.log()) && Files.size(files.log()) > options.logBytes()) {
            Files.copy(files.log(), files.log().resolveSibling("postgres.log.1"), StandardCopyOption.REPLACE_EXISTING);
            try (RandomAccessFile log = new RandomAccessFile(files.log().toFile(), "rw")) {
                log.setLength(0);
            }
        }
    }

    private String logSince(long from) throws IOException {
        try (RandomAccessFile log = new RandomAccessFile(files.log().toFile(), "r")) {
            long start = Math.max(from, log.length() - TAIL_BYTES);
            log.seek(Math.min(start, log.length()));
            byte[] tail = new byte[(int) (log.length() - log.getFilePointer())];
            log.readFully(tail);
            return new String(tail, StandardCharsets.UTF_8);
        }
    }
}
