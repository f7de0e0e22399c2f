package io.recallgate.gateway.cli.conversation;

import io.recallgate.gateway.cli.console.CommandFailedException;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.InputStream;
import java.io.PushbackInputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Opens files of conversations, and tells the formats apart by their content. */
public final class ConversationFiles {

    /** A LoCoMo conversation is read whole; the largest of the data set has half a megabyte. */
    private static final int MAX_LOCOMO_BYTES = 64 << 20;

    private static final String SAMPLE = "/sample/conversation.ndjson";

    private ConversationFiles() {}

    /**
     * The turns of a LoCoMo-style file, null when {@code path} is something else.
     *
     * @throws CommandFailedException if it cannot be read
     */
    public static @Nullable LocomoConversation locomoIfAny(String path) {
        Path file = Path.of(path);
        try {
            JsonObject whole = path.endsWith(".json") ? wholeObject(file) : null;
            return whole != null && LocomoConversation.matches(whole)
                    ? LocomoConversation.parse(nameOf(file), whole)
                    : null;
        } catch (IOException e) {
            throw unreadable(path, e);
        }
    }

    /**
     * The lines of an NDJSON file.
     *
     * @throws CommandFailedException if it cannot be read
     */
    public static NdjsonLines lines(String path) {
        try {
            requireFile(Path.of(path));
            return new NdjsonLines(Files.newInputStream(Path.of(path)));
        } catch (IOException e) {
            throw unreadable(path, e);
        }
    }

    /**
     * Reads a LoCoMo-style file.
     *
     * @throws CommandFailedException if it cannot be read or is not of that format
     */
    public static LocomoConversation locomo(String path) {
        Path file = Path.of(path);
        try {
            JsonObject whole = wholeObject(file);
            if (whole != null && LocomoConversation.matches(whole)) {
                return LocomoConversation.parse(nameOf(file), whole);
            }
        } catch (IOException e) {
            throw unreadable(path, e);
        }
        throw new CommandFailedException(
                path
                        + " is not a LoCoMo-style conversation: a JSON object with 'session_1', 'session_1_date_time' and 'qa'");
    }

    /**
     * The files that a name stands for: itself, or all {@code .json} files of a directory, by name.
     *
     * @throws CommandFailedException if a directory has none or cannot be read
     */
    public static List<String> in(String path) {
        Path directory = Path.of(path);
        if (!Files.isDirectory(directory)) {
            return List.of(path);
        }
        try (Stream<Path> files = Files.list(directory)) {
            List<String> names = files.map(Path::toString)
                    .filter(name -> name.endsWith(".json"))
                    .sorted()
                    .toList();
            if (names.isEmpty()) {
                throw new CommandFailedException("there is no .json file in " + path);
            }
            return names;
        } catch (IOException e) {
            throw unreadable(path, e);
        }
    }

    /** The conversation that comes with Recallgate. */
    public static ConversationSource sample() {
        InputStream in = ConversationFiles.class.getResourceAsStream(SAMPLE);
        if (in == null) {
            throw new CommandFailedException(
                    "the sample conversation is missing from this build: rebuild with './recallgate'");
        }
        return new NdjsonSource(in, -1);
    }

    /** The conversation's name: the file's, without what follows the last dot. */
    public static String nameOf(Path file) {
        Path last = file.getFileName();
        String name = last == null ? "conversation" : last.toString();
        int dot = name.lastIndexOf('.');
        return dot > 0 ? name.substring(0, dot) : name;
    }

    private static @Nullable JsonObject wholeObject(Path file) throws IOException {
        requireFile(file);
        if (Files.size(file) > MAX_LOCOMO_BYTES || !startsWithBrace(file)) {
            return null;
        }
        try {
            return new JsonObject(Files.readString(file, StandardCharsets.UTF_8));
        } catch (DecodeException e) {
            // Several objects, one a line: NDJSON under another name. Its reader reports what is damaged.
            return null;
        }
    }

    private static boolean startsWithBrace(Path file) throws IOException {
        try (PushbackInputStream in = new PushbackInputStream(Files.newInputStream(file))) {
            int first = in.read();
            while (first >= 0 && Character.isWhitespace(first)) {
                first = in.read();
            }
            return first == '{';
        }
    }

    private static void requireFile(Path file) throws IOException {
        if (Files.notExists(file)) {
            throw new NoSuchFileException(file.toString());
        }
        if (Files.isDirectory(file)) {
            throw new CommandFailedException(file + " is a directory: name a file in it");
        }
    }

    private static CommandFailedException unreadable(String path, IOException cause) {
        return new CommandFailedException(
                cause instanceof NoSuchFileException
                        ? "there is no file " + path
                        : "cannot read " + path + ": " + cause.getMessage(),
                cause);
    }
}
