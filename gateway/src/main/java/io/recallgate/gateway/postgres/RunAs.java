package io.recallgate.gateway.postgres;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * As whom PostgreSQL runs. It refuses to run as root, for good reasons; where the gateway is root, as in many
 * containers, it gets a user namespace of its own in which it is nobody, or else a user id of its own.
 *
 * @param prefix put before every command
 * @param userId who must own the cluster's files
 */
record RunAs(List<String> prefix, int userId) {

    private static final int ROOT = 0;

    /** "nobody": initdb wants a user id that has a name, and this one has it everywhere. */
    private static final int OWN_USER_ID = 65_534;

    private static final long PROBE_SECONDS = 10;

    /** Copies the prefix. */
    RunAs {
        prefix = List.copyOf(prefix);
    }

    /**
     * A command line.
     *
     * @param words program and arguments
     */
    record Command(List<String> words) {
        /** Copies the words. */
        Command {
            words = List.copyOf(words);
        }

        static Command of(String... words) {
            return new Command(List.of(words));
        }

        Command and(String... more) {
            return and(List.of(more));
        }

        Command and(List<String> more) {
            List<String> all = new ArrayList<>(words);
            all.addAll(more);
            return new Command(all);
        }
    }

    /**
     * The ways that may work for this process, best first.
     *
     * @param directory where this process may make files: their owner tells who it is
     */
    static List<RunAs> candidates(PostgresPlatform platform, Path directory) throws IOException {
        Path probe = Files.createTempFile(directory, "who-", null);
        int self = ownerOf(probe);
        Files.delete(probe);
        if (self != ROOT) {
            return List.of(new RunAs(List.of(), self));
        }
        if (!platform.isLinux()) {
            return List.of();
        }
        String id = String.valueOf(OWN_USER_ID);
        return List.of(
                new RunAs(List.of("unshare", "--user"), ROOT),
                new RunAs(
                        List.of("setpriv", "--reuid=" + id, "--regid=" + id, "--clear-groups", "--no-new-privs"),
                        OWN_USER_ID));
    }

    /**
     * The first way that works here.
     *
     * @param directory where this process may make files
     * @param binaries what must be reachable that way
     * @throws io.recallgate.failure.FailureException one line, if there is none
     */
    static RunAs choose(PostgresPlatform platform, Path directory, PostgresBinaries binaries)
            throws IOException, InterruptedException {
        for (RunAs candidate : candidates(platform, directory)) {
            if (candidate.works(binaries)) {
                return candidate;
            }
        }
        throw PostgresFailure.of(
                "cannot run here: PostgreSQL refuses root, and neither unshare --user nor setpriv works" + " with "
                        + directory + "; start the gateway as another user or set RECALLGATE_DATABASE_URL");
    }

    private boolean works(PostgresBinaries binaries) throws InterruptedException {
        if (prefix.isEmpty()) {
            return true;
        }
        try {
            Process process = process(binaries.program("postgres", "--version"), null)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
            if (!process.waitFor(PROBE_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly();
                return false;
            }
            return process.exitValue() == 0;
        } catch (IOException noSuchProgram) {
            return false;
        }
    }

    /**
     * Prepares {@code command} to be started this way, with an environment of its own: locale and PG variables of the
     * gateway's must not reach it.
     *
     * @param log where its output is appended; null discards the error output
     */
    ProcessBuilder process(Command command, @Nullable File log) {
        List<String> line = new ArrayList<>(prefix);
        line.addAll(command.words());
        ProcessBuilder builder = new ProcessBuilder(line);
        builder.environment().keySet().removeIf(name -> name.startsWith("PG") || name.startsWith("LC_"));
        builder.environment().put("LC_ALL", "C");
        builder.environment().put("TZ", "UTC");
        builder.redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")));
        if (log == null) {
            builder.redirectError(ProcessBuilder.Redirect.DISCARD);
        } else {
            builder.redirectErrorStream(true).redirectOutput(ProcessBuilder.Redirect.appendTo(log));
        }
        return builder;
    }

    /** Gives a tree to {@link #userId}, if it is not so already. Only root gets to change anything here. */
    void own(Path tree) throws IOException {
        if (ownerOf(tree) == userId) {
            return;
        }
        Files.walkFileTree(tree, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                give(file);
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path directory, @Nullable IOException failure)
                    throws IOException {
                // The top comes last: as long as it is not given, an interrupted walk starts again.
                give(directory);
                return FileVisitResult.CONTINUE;
            }
        });
    }

    private void give(Path path) throws IOException {
        Files.setAttribute(path, "unix:uid", userId, LinkOption.NOFOLLOW_LINKS);
    }

    private static int ownerOf(Path path) throws IOException {
        return (Integer) Files.getAttribute(path, "unix:uid", LinkOption.NOFOLLOW_LINKS);
    }

    /** Runs {@code command} to its end and returns its exit status and output; bounded in time and output. */
    Outcome run(Command command, @Nullable String input, long boundSeconds) throws IOException, InterruptedException {
        ProcessBuilder builder = process(command, null).redirectErrorStream(true);
        Path output = Files.createTempFile("recallgate-", ".out");
        try {
            builder.redirectOutput(output.toFile());
            builder.redirectInput(ProcessBuilder.Redirect.PIPE);
            Process process = builder.start();
            try (var stdin = process.getOutputStream()) {
                if (input != null) {
                    stdin.write(input.getBytes(StandardCharsets.UTF_8));
                }
            }
            boolean ended = endsWithin(process, boundSeconds);
            return new Outcome(ended ? process.exitValue() : -1, Files.readString(output, StandardCharsets.UTF_8));
        } finally {
            Files.deleteIfExists(output);
        }
    }

    /** Waits for the end and makes it come if nobody waits any more. */
    private static boolean endsWithin(Process process, long boundSeconds) throws InterruptedException {
        boolean ended = false;
        try {
            ended = process.waitFor(boundSeconds, TimeUnit.SECONDS);
        } finally {
            if (!ended) {
                process.descendants().forEach(ProcessHandle::destroyForcibly);
                process.destroyForcibly();
            }
        }
        return ended;
    }

    /**
     * How a command ended.
     *
     * @param status exit status, -1 when it had to be killed
     * @param output both outputs together
     */
    record Outcome(int status, String output) {}
}
