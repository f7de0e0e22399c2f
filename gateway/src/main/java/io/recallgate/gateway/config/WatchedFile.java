package io.recallgate.gateway.config;

import io.recallgate.digest.Sha256;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A small text file that is looked at again and again. The whole content decides whether it changed: a file written
 * twice within the file system's tick, or behind a symbolic link that was turned, keeps its time or its size. Content
 * counts once two looks in a row have seen it, since an editor that writes in place shows half a file for a moment, and
 * half a list of keys may be valid. Blocks on the file; confined to one thread at a time.
 */
final class WatchedFile {

    private final Path file;
    private final int maxBytes;

    /** Mark of the content that was handed out last, good or bad. */
    private String taken;
    /** Mark of the content at the last look. */
    private String seen;

    private WatchedFile(Path file, int maxBytes, String mark) {
        this.file = file;
        this.maxBytes = maxBytes;
        this.taken = mark;
        this.seen = mark;
    }

    /**
     * What a look found.
     *
     * @param text the whole file; empty when there is none to be had
     * @param trouble why not, to follow the file's name; null when there is
     * @param mark the same for the same text or trouble, and for nothing else
     */
    record Content(String text, @Nullable String trouble, String mark) {

        /** @throws ConfigException {@code before} and the trouble, if there is one */
        String textOr(String before) {
            if (trouble != null) {
                throw new ConfigException(before + trouble);
            }
            return text;
        }
    }

    /** The file now; a watch goes on from it. */
    static Content read(Path file, int maxBytes) {
        if (Files.exists(file) && !Files.isRegularFile(file)) {
            // Opening a pipe waits for somebody who writes to it, which nothing can end, and no look would follow.
            return trouble("is not a regular file");
        }
        try (InputStream in = Files.newInputStream(file)) {
            byte[] bytes = in.readNBytes(maxBytes + 1);
            if (bytes.length > maxBytes) {
                return trouble("is larger than " + maxBytes + " bytes");
            }
            String text = StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
            return new Content(text, null, Sha256.hex(bytes));
        } catch (NoSuchFileException missing) {
            return trouble("cannot be read (no such file)");
        } catch (CharacterCodingException binary) {
            return trouble("is not text in UTF-8");
        } catch (IOException unreadable) {
            return trouble(
                    "cannot be read (" + unreadable.getClass().getSimpleName().replace("Exception", "") + ")");
        }
    }

    /** Watches from {@code content} on, which the caller has taken. */
    static WatchedFile from(Path file, int maxBytes, Content content) {
        return new WatchedFile(file, maxBytes, content.mark());
    }

    /** What is there instead of what was handed out last, once it stands still; empty when nothing is new. */
    Optional<Content> look() {
        Content now = read(file, maxBytes);
        boolean stands = now.mark().equals(seen);
        seen = now.mark();
        if (!stands || now.mark().equals(taken)) {
            return Optional.empty();
        }
        taken = now.mark();
        return Optional.of(now);
    }

    private static Content trouble(String what) {
        return new Content("", what, "trouble: " + what);
    }
}
