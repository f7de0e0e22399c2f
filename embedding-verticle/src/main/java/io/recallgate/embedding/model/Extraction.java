package io.recallgate.embedding.model;

import io.recallgate.digest.Sha256;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.UUID;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Copies files out of a jar into a directory that several processes may share. A file appears under its name only when
 * it is whole, by a rename, and the copying happens under a lock file, so that two cold starts extract once (CONTRACTS
 * A18).
 */
final class Extraction {

    private static final Logger log = LoggerFactory.getLogger(Extraction.class);

    /** A lock file keeps other processes out, not other threads: those would get an exception instead of waiting. */
    private static final ReentrantLock IN_PROCESS = new ReentrantLock();

    private static final String PARTIAL = ".partial";

    private Extraction() {}

    /** What is done while the directory is ours. */
    @FunctionalInterface
    interface Work<T> {
        T run() throws IOException;
    }

    /** Runs {@code work} while holding the directory's lock, which the system frees when a process dies. */
    static <T> T exclusively(Path directory, Work<T> work) throws IOException {
        Files.createDirectories(directory);
        IN_PROCESS.lock();
        try (FileChannel channel = FileChannel.open(
                        directory.resolve(".lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                FileLock lock = channel.lock()) {
            if (!lock.isValid()) {
                throw new IOException("the lock on " + directory + " is not valid");
            }
            dropPartials(directory);
            return work.run();
        } finally {
            IN_PROCESS.unlock();
        }
    }

    /**
     * Copies a stream to {@code target} under a temporary name, forces it to the disk and renames it.
     *
     * @return hex SHA-256 of what was written
     */
    static String copy(InputStream source, Path target) throws IOException {
        Path partial = target.resolveSibling(target.getFileName() + "." + UUID.randomUUID() + PARTIAL);
        MessageDigest digest = Sha256.digest();
        try {
            try (DigestInputStream in = new DigestInputStream(source, digest);
                    FileChannel channel =
                            FileChannel.open(partial, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
                    OutputStream out = Channels.newOutputStream(channel)) {
                in.transferTo(out);
                channel.force(true);
            }
            Files.move(partial, target, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } finally {
            Files.deleteIfExists(partial);
        }
        return HexFormat.of().formatHex(digest.digest());
    }

    /** One line about a file that is not what was put there: a disk that loses data should not go unnoticed. */
    static void warnOfRepair(Path damaged) {
        log.warn("{} is damaged or another version, and is replaced by the program's own copy", damaged);
    }

    /** Hex SHA-256 of a file. */
    static String checksum(Path file) throws IOException {
        MessageDigest digest = Sha256.digest();
        try (DigestInputStream in = new DigestInputStream(Files.newInputStream(file), digest)) {
            in.transferTo(OutputStream.nullOutputStream());
        }
        return HexFormat.of().formatHex(digest.digest());
    }

    /** Under the lock nobody else writes, so whatever is partial was left by a process that died. */
    private static void dropPartials(Path directory) throws IOException {
        try (DirectoryStream<Path> partials = Files.newDirectoryStream(directory, "*" + PARTIAL)) {
            for (Path partial : partials) {
                Files.deleteIfExists(partial);
            }
        }
    }
}
