package io.recallgate.gateway.cli.conversation;

import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonObject;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Newline-delimited JSON, one memory a line. Blank lines are skipped; a line that is no JSON object is damaged. */
public final class NdjsonSource implements ConversationSource {

    /** The gateway's body limit (8 MiB): a longer line could not be sent anyway. */
    static final int MAX_LINE_BYTES = 8 << 20;

    private final InputStream in;
    private final long sizeBytes;
    private long positionBytes;
    private long lineNumber;

    /**
     * @param in closed with this source
     * @param sizeBytes of the whole, -1 when unknown
     */
    public NdjsonSource(InputStream in, long sizeBytes) {
        this.in = new BufferedInputStream(in, 1 << 16);
        this.sizeBytes = sizeBytes;
    }

    @Override
    public @Nullable SourceItem next() throws IOException {
        while (true) {
            ByteArrayOutputStream line = new ByteArrayOutputStream(256);
            LineEnd end = readLine(line);
            if (end == LineEnd.END_OF_FILE && line.size() == 0) {
                return null;
            }
            lineNumber++;
            String place = Long.toString(lineNumber);
            if (end == LineEnd.TOO_LONG) {
                return new SourceItem.Damaged(
                        place, "payload-too-large", "the line is longer than " + MAX_LINE_BYTES + " bytes");
            }
            SourceItem item = parse(place, line.toByteArray());
            if (item != null) {
                return item;
            }
        }
    }

    @Override
    public long positionBytes() {
        return positionBytes;
    }

    @Override
    public long sizeBytes() {
        return sizeBytes;
    }

    @Override
    public void close() throws IOException {
        in.close();
    }

    private enum LineEnd {
        NEWLINE,
        END_OF_FILE,
        TOO_LONG
    }

    private LineEnd readLine(ByteArrayOutputStream line) throws IOException {
        boolean tooLong = false;
        while (true) {
            int next = in.read();
            if (next < 0) {
                return tooLong ? LineEnd.TOO_LONG : LineEnd.END_OF_FILE;
            }
            positionBytes++;
            if (next == '\n') {
                return tooLong ? LineEnd.TOO_LONG : LineEnd.NEWLINE;
            }
            if (line.size() < MAX_LINE_BYTES) {
                line.write(next);
            } else {
                // Read on to the line's end, so that the lines after it are found.
                tooLong = true;
            }
        }
    }

    private static @Nullable SourceItem parse(String place, byte[] bytes) {
        String text;
        try {
            text = StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
        } catch (CharacterCodingException e) {
            return new SourceItem.Damaged(place, "invalid-text", "the line is not UTF-8");
        }
        String trimmed = text.startsWith("\uFEFF") ? text.substring(1).strip() : text.strip();
        if (trimmed.isEmpty()) {
            return null;
        }
        try {
            return new SourceItem.Intact(place, new JsonObject(trimmed));
        } catch (DecodeException e) {
            return new SourceItem.Damaged(place, "invalid-json", "the line is not a JSON object");
        }
    }
}
