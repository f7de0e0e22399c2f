package io.recallgate.gateway.postgres;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Where the embedded PostgreSQL keeps its files.
 *
 * @param root the directory {@code postgres} in the data directory
 */
record PostgresFiles(Path root) {

    /** Major version of the bundled binaries: a cluster belongs to one. */
    static final int MAJOR = 17;

    /** What the cluster and its password live in; made whole under another name, then renamed. */
    Path cluster() {
        return root.resolve("cluster-" + MAJOR);
    }

    Path pgdata() {
        return cluster().resolve("pgdata");
    }

    Path passwordFile() {
        return cluster().resolve("password");
    }

    Path log() {
        return root.resolve("postgres.log");
    }

    Path postmasterPid() {
        return pgdata().resolve("postmaster.pid");
    }

    /** What earlier starts did not finish, and directories with {@code prefix} other than {@code keep}. */
    List<Path> leftovers(String prefix, Path keep) throws IOException {
        List<Path> found = new ArrayList<>();
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(root, prefix + "*")) {
            for (Path entry : entries) {
                if (!entry.equals(keep)) {
                    found.add(entry);
                }
            }
        }
        return found;
    }

    /** Deletes a tree; links are deleted, not followed. What vanishes meanwhile is fine. */
    static void delete(Path tree) throws IOException {
        Files.walkFileTree(tree, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                Files.deleteIfExists(file);
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFileFailed(Path file, IOException failure) throws IOException {
                if (failure instanceof NoSuchFileException) {
                    return FileVisitResult.CONTINUE;
                }
                throw failure;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path directory, @Nullable IOException failure)
                    throws IOException {
                Files.deleteIfExists(directory);
                return FileVisitResult.CONTINUE;
            }
        });
    }
}
