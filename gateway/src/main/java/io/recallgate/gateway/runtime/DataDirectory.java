package io.recallgate.gateway.runtime;

import io.recallgate.gateway.config.ConfigException;
import io.recallgate.gateway.config.Setting;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The data directory, held by this process alone as long as it is open. The lock is the operating system's and goes
 * with the process, however that ends. Blocks on files.
 */
public final class DataDirectory implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(DataDirectory.class);

    private final Path path;
    private final FileChannel channel;

    private DataDirectory(Path path, FileChannel channel) {
        this.path = path;
        this.channel = channel;
    }

    /**
     * Makes the directory if there is none, and takes it.
     *
     * @throws ConfigException one line, if it cannot be written or another gateway has it
     */
    public static DataDirectory open(Path path) {
        Path file = path.resolve("recallgate.lock");
        FileChannel channel = null;
        try {
            Files.createDirectories(path);
            channel = FileChannel.open(
                    file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
            FileLock lock = tryLock(channel);
            if (lock == null) {
                String holder = Files.readString(file).strip();
                channel.close();
                throw wrong(
                        path,
                        "is in use by another gateway" + (holder.isEmpty() ? "" : " (process " + holder + ")")
                                + "; stop that one or name another directory");
            }
            channel.truncate(0);
            channel.write(ByteBuffer.wrap(
                    String.valueOf(ProcessHandle.current().pid()).getBytes(StandardCharsets.UTF_8)));
            return new DataDirectory(path, channel);
        } catch (IOException unusable) {
            closeQuietly(channel);
            throw wrong(
                    path, "cannot be written (" + reason(unusable) + "); make it writable or name another directory");
        }
    }

    private static @Nullable FileLock tryLock(FileChannel channel) throws IOException {
        try {
            return channel.tryLock();
        } catch (OverlappingFileLockException inThisProcess) {
            return null;
        }
    }

    private static void closeQuietly(@Nullable FileChannel channel) {
        if (channel != null) {
            try {
                channel.close();
            } catch (IOException alreadyFailing) {
                LOG.debug("the lock file could not be closed", alreadyFailing);
            }
        }
    }

    private static String reason(IOException error) {
        String name = error.getClass().getSimpleName().replace("Exception", "");
        return name.isEmpty() ? String.valueOf(error.getMessage()) : name;
    }

    private static ConfigException wrong(Path path, String what) {
        return new ConfigException(Setting.DATA_DIR.environment() + " is '" + path + "': the directory " + what);
    }

    /** The directory. */
    public Path path() {
        return path;
    }

    /** Gives the directory back. Idempotent. */
    @Override
    public void close() {
        closeQuietly(channel);
    }
}
