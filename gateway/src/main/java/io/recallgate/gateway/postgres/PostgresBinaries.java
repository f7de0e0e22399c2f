package io.recallgate.gateway.postgres;

import io.recallgate.gateway.postgres.RunAs.Command;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.JarURLConnection;
import java.net.URL;
import java.net.URLConnection;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermission;
import java.util.EnumSet;
import java.util.Set;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.apache.commons.compress.compressors.xz.XZCompressorInputStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The unpacked binaries.
 *
 * @param home the directory with {@code bin}, {@code lib} and {@code share}
 */
record PostgresBinaries(Path home) {

    private static final Logger LOG = LoggerFactory.getLogger(PostgresBinaries.class);

    private static final String PREFIX = "binaries-";

    /** Far more than the archives unpack to (60 MB): a bound on what a damaged one can write. */
    private static final long MAX_UNPACKED_BYTES = 1L << 30;

    private static final Set<PosixFilePermission> EXECUTABLE = EnumSet.of(
            PosixFilePermission.OWNER_READ,
            PosixFilePermission.OWNER_WRITE,
            PosixFilePermission.OWNER_EXECUTE,
            PosixFilePermission.GROUP_READ,
            PosixFilePermission.GROUP_EXECUTE,
            PosixFilePermission.OTHERS_READ,
            PosixFilePermission.OTHERS_EXECUTE);

    private static final Set<PosixFilePermission> READABLE = EnumSet.of(
            PosixFilePermission.OWNER_READ,
            PosixFilePermission.OWNER_WRITE,
            PosixFilePermission.GROUP_READ,
            PosixFilePermission.OTHERS_READ);

    /** A program among the binaries. */
    Command program(String name, String... arguments) {
        return Command.of(home.resolve("bin").resolve(name).toString()).and(arguments);
    }

    /**
     * Unpacks the platform's archive once for each of its versions: into a directory of another name that is renamed
     * when it is whole, so that a kill in between leaves nothing that looks whole. The caller holds the data directory.
     *
     * @throws InterruptedException if the thread is interrupted: it takes seconds, and a stop need not wait for them
     */
    static PostgresBinaries unpack(PostgresFiles files, PostgresPlatform platform)
            throws IOException, InterruptedException {
        URL archive = PostgresBinaries.class.getResource("/" + platform.archive());
        if (archive == null) {
            throw PostgresFailure.of("is not in this build (" + platform.archive()
                    + " is missing); set RECALLGATE_DATABASE_URL to use another PostgreSQL");
        }
        Path home = files.root().resolve(PREFIX + versionOf(archive));
        if (!Files.isDirectory(home)) {
            LOG.info("unpacking PostgreSQL into {} (once)", home);
            Path partial = Files.createTempDirectory(files.root(), PREFIX + "partial-");
            try (InputStream in = archive.openStream()) {
                unpack(in, partial);
            }
            Files.setPosixFilePermissions(partial, EXECUTABLE);
            Files.move(partial, home, StandardCopyOption.ATOMIC_MOVE);
        }
        for (Path old : files.leftovers(PREFIX, home)) {
            PostgresFiles.delete(old);
        }
        return new PostgresBinaries(home);
    }

    /** The jar already holds a checksum of the archive, so that telling versions apart needs no pass over it. */
    private static String versionOf(URL archive) throws IOException {
        URLConnection connection = archive.openConnection();
        if (connection instanceof JarURLConnection jar) {
            return Long.toHexString(jar.getJarEntry().getCrc());
        }
        return Long.toHexString(connection.getContentLengthLong());
    }

    private static void unpack(InputStream in, Path target) throws IOException, InterruptedException {
        long unpacked = 0;
        try (TarArchiveInputStream tar =
                new TarArchiveInputStream(new XZCompressorInputStream(new BufferedInputStream(in, 1 << 16)))) {
            for (TarArchiveEntry entry = tar.getNextEntry(); entry != null; entry = tar.getNextEntry()) {
                if (Thread.interrupted()) {
                    throw new InterruptedException("stopped while unpacking PostgreSQL");
                }
                Path path = target.resolve(entry.getName()).normalize();
                if (!path.startsWith(target)) {
                    throw new IOException("archive entry outside of its directory: " + entry.getName());
                }
                unpacked += entry.getSize();
                if (unpacked > MAX_UNPACKED_BYTES) {
                    throw new IOException("archive larger than " + MAX_UNPACKED_BYTES + " bytes");
                }
                write(tar, entry, path, target);
            }
        }
    }

    private static void write(TarArchiveInputStream tar, TarArchiveEntry entry, Path path, Path target)
            throws IOException {
        if (entry.isDirectory()) {
            Files.createDirectories(path);
            return;
        }
        Files.createDirectories(path.getParent() == null ? target : path.getParent());
        if (entry.isSymbolicLink()) {
            Path link = Path.of(entry.getLinkName());
            if (link.isAbsolute() || !path.resolveSibling(link).normalize().startsWith(target)) {
                throw new IOException("archive link outside of its directory: " + entry.getName());
            }
            Files.createSymbolicLink(path, link);
        } else {
            Files.copy(tar, path);
            boolean executable = (entry.getMode() & 0100) != 0;
            Files.setPosixFilePermissions(path, executable ? EXECUTABLE : READABLE);
        }
    }
}
