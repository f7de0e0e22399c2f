package io.recallgate.gateway.cli.importing;

import io.recallgate.digest.Sha256;
import io.recallgate.gateway.cli.console.CommandFailedException;
import io.recallgate.gateway.cli.conversation.ConversationFiles;
import io.recallgate.gateway.cli.conversation.LocomoConversation;
import io.recallgate.gateway.cli.conversation.NdjsonLines;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.DigestInputStream;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * A file to import, or standard input. A file can be read again from its beginning, and its lines have names that stay:
 * a memory without an external id gets one made of the file's digest and its line. Used by one thread.
 */
public final class ImportFile {

    private final String path;
    private final InputStream stdin;
    private final @Nullable LocomoConversation conversation;
    private @Nullable String digest;

    /**
     * @param path the file: a LoCoMo-style conversation or NDJSON; {@code -} for NDJSON from {@code stdin}
     * @throws CommandFailedException if it cannot be read
     */
    public ImportFile(String path, InputStream stdin) {
        this.path = path;
        this.stdin = stdin;
        this.conversation = isStandardInput() ? null : ConversationFiles.locomoIfAny(path);
        if (conversation == null && !isStandardInput()) {
            // Says at once what is wrong with the path.
            close(ConversationFiles.lines(path));
        }
    }

    /** Whether its lines pass once and cannot be named. */
    public boolean isStandardInput() {
        return path.equals("-");
    }

    /** Opens it at its beginning. */
    ImportLines open() {
        try {
            if (conversation != null) {
                return new ConversationLines(conversation.items());
            }
            return isStandardInput()
                    ? new MemoryLines(new NdjsonLines(stdin), -1, null)
                    : new MemoryLines(ConversationFiles.lines(path), Files.size(Path.of(path)), this::name);
        } catch (IOException e) {
            throw unreadable(e);
        }
    }

    /** The external id of a line that has none. */
    private String name(long line) {
        if (digest == null) {
            digest = digest();
        }
        return "import:" + digest + ":" + line;
    }

    private String digest() {
        try (DigestInputStream in = new DigestInputStream(Files.newInputStream(Path.of(path)), Sha256.digest())) {
            in.transferTo(OutputStream.nullOutputStream());
            return HexFormat.of().formatHex(in.getMessageDigest().digest(), 0, 16);
        } catch (IOException e) {
            throw unreadable(e);
        }
    }

    private void close(NdjsonLines lines) {
        try {
            lines.close();
        } catch (IOException e) {
            throw unreadable(e);
        }
    }

    private CommandFailedException unreadable(IOException cause) {
        return new CommandFailedException("cannot read " + path + ": " + cause.getMessage(), cause);
    }
}
