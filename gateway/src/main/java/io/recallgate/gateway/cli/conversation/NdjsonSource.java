package io.recallgate.gateway.cli.conversation;

import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Newline-delimited JSON, one memory a line. Blank lines are skipped; a line that is no JSON object is damaged. */
public final class NdjsonSource implements ConversationSource {

    static final int MAX_LINE_BYTES = NdjsonLines.MAX_LINE_BYTES;

    private final NdjsonLines lines;
    private final long sizeBytes;

    /**
     * @param in closed with this source
     * @param sizeBytes of the whole, -1 when unknown
     */
    public NdjsonSource(InputStream in, long sizeBytes) {
        this.lines = new NdjsonLines(in);
        this.sizeBytes = sizeBytes;
    }

    @Override
    public @Nullable SourceItem next() throws IOException {
        while (true) {
            byte[] line = lines.next();
            if (line == null) {
                return null;
            }
            String place = Long.toString(lines.number());
            if (lines.isTooLong()) {
                return new SourceItem.Damaged(
                        place, "payload-too-large", "the line is longer than " + MAX_LINE_BYTES + " bytes");
            }
            SourceItem item = parse(place, line);
            if (item != null) {
                return item;
            }
        }
    }

    @Override
    public long positionBytes() {
        return lines.positionBytes();
    }

    @Override
    public long sizeBytes() {
        return sizeBytes;
    }

    @Override
    public void close() throws IOException {
        lines.close();
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
