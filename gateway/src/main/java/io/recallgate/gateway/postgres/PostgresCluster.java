package io.recallgate.gateway.postgres;

import io.recallgate.gateway.postgres.RunAs.Outcome;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.Locale;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The cluster and the password of its one role.
 *
 * @param password known to nobody but this file and this process
 */
record PostgresCluster(String password) {

    static final String ROLE = "recallgate";
    static final String DATABASE = "recallgate";

    private static final Logger LOG = LoggerFactory.getLogger(PostgresCluster.class);

    private static final String PARTIAL = "cluster-partial-";

    /** initdb takes a second; on a slow disk that must be synced, perhaps a minute. */
    private static final long INIT_SECONDS = 300;

    /** Long enough for a path and a reason. */
    private static final int MAX_LINE = 400;

    /** 32 random bytes: beyond guessing even at the rate of a local socket. */
    private static final int PASSWORD_BYTES = 32;

    /**
     * Makes the cluster if there is none: under another name, renamed when it is whole and synced, so that a kill in
     * between leaves no half cluster. The caller holds the data directory.
     */
    static PostgresCluster open(PostgresFiles files, PostgresBinaries binaries, PostgresPlatform platform, RunAs runAs)
            throws IOException, InterruptedException {
        for (Path partial : files.leftovers(PARTIAL, files.cluster())) {
            PostgresFiles.delete(partial);
        }
        if (!Files.isDirectory(files.cluster())) {
            make(files, binaries, platform, runAs);
        }
        runAs.own(files.passwordFile());
        runAs.own(files.pgdata());
        return new PostgresCluster(Files.readString(files.passwordFile()).strip());
    }

    @Override
    public String toString() {
        return "PostgresCluster[password not shown]";
    }

    private static void make(PostgresFiles files, PostgresBinaries binaries, PostgresPlatform platform, RunAs runAs)
            throws IOException, InterruptedException {
        LOG.info("making a PostgreSQL cluster in {} (once)", files.cluster());
        Path partial = Files.createTempDirectory(files.root(), PARTIAL);
        // The server's user must pass through; what is inside keeps others out itself.
        Files.setPosixFilePermissions(partial, PosixFilePermissions.fromString("rwx--x--x"));
        Path pgdata = Files.createDirectory(
                partial.resolve("pgdata"),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        runAs.own(pgdata);
        Path password = Files.createFile(
                partial.resolve("password"),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        byte[] random = new byte[PASSWORD_BYTES];
        new SecureRandom().nextBytes(random);
        String secret = HexFormat.of().formatHex(random);
        Files.writeString(password, secret + "\n");

        runAs.own(password);

        // Through a file: nobody sees the password in a list of processes.
        Outcome init = runAs.run(
                binaries.program(
                                "initdb",
                                "--pgdata=" + pgdata,
                                "--username=" + ROLE,
                                "--pwfile=" + password,
                                "--auth=scram-sha-256",
                                "--encoding=UTF8",
                                "--data-checksums",
                                "--no-instructions")
                        .and(platform.localeArguments()),
                null,
                INIT_SECONDS);
        require(init, "could not be initialised");
        Outcome create = runAs.run(
                binaries.program("postgres", "--single", "-D", pgdata.toString(), "postgres"),
                "create database " + DATABASE + "\n",
                INIT_SECONDS);
        require(create, "could not be given a database");
        Files.move(partial, files.cluster(), StandardCopyOption.ATOMIC_MOVE);
    }

    private static void require(Outcome outcome, String otherwise) {
        if (outcome.status() != 0) {
            throw PostgresFailure.of(otherwise + ": " + lastLine(outcome.output()));
        }
    }

    /** What matters is in the last line that speaks of an error, else in the last line at all. */
    static String lastLine(String output) {
        String last = "no output";
        boolean error = false;
        for (String line : output.split("\n", -1)) {
            String lower = line.toLowerCase(Locale.ROOT);
            boolean speaksOfError = lower.contains("error") || lower.contains("fatal") || lower.contains("panic");
            if (speaksOfError || (!error && !line.isBlank())) {
                last = line.strip();
                error |= speaksOfError;
            }
        }
        return last.length() > MAX_LINE ? last.substring(0, MAX_LINE) : last;
    }
}
