package io.recallgate.gateway.cli.importing;

import io.recallgate.gateway.cli.conversation.NdjsonLines;
import io.recallgate.gateway.cli.conversation.SourceItem;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * The lines of an NDJSON file as they are: what is wrong with one the gateway says, which sees every byte of it. Only a
 * memory that nothing names gets an external id.
 */
final class MemoryLines implements ImportLines {

    private final NdjsonLines lines;
    private final long sizeBytes;
    private final @Nullable LongFunction<String> names;
    private final List<SourceItem.Damaged> damaged = new ArrayList<>();

    /** @param names external ids for lines without; null leaves them without */
    MemoryLines(NdjsonLines lines, long sizeBytes, @Nullable LongFunction<String> names) {
        this.lines = lines;
        this.sizeBytes = sizeBytes;
        this.names = names;
    }

    @Override
    public byte @Nullable [] next() throws IOException {
        byte[] line = lines.next();
        if (line == null || line.length == 0 || names == null) {
            if (lines.isTooLong()) {
                damaged.add(new SourceItem.Damaged(
                        Long.toString(lines.number()),
                        "payload-too-large",
                        "the line is longer than " + NdjsonLines.MAX_LINE_BYTES + " bytes"));
            }
            // A blank line in its stead keeps the numbers.
            return line;
        }
        return named(line, names.apply(lines.number()));
    }

    static byte[] named(byte[] line, String externalId) {
        String text = new String(line, StandardCharsets.UTF_8);
        int begin = text.startsWith("\uFEFF") ? 1 : 0;
        JsonObject memory;
        try {
            memory = new JsonObject(text.substring(begin));
        } catch (DecodeException | ClassCastException e) {
            // Blank or damaged: the gateway tells the two apart.
            return line;
        }
        if (memory.getValue("external_id") != null || memory.getValue("id") != null) {
            return line;
        }
        if (memory.containsKey("external_id")) {
            return memory.put("external_id", externalId).encode().getBytes(StandardCharsets.UTF_8);
        }
        // Into the text and not into the object, which has lost what the gateway would refuse, such as a key twice.
        int brace = 0;
        while (line[brace] != '{') {
            brace++;
        }
        byte[] name = ("\"external_id\":\"" + externalId + (memory.isEmpty() ? "\"" : "\","))
                .getBytes(StandardCharsets.UTF_8);
        byte[] whole = new byte[line.length + name.length];
        System.arraycopy(line, 0, whole, 0, brace + 1);
        System.arraycopy(name, 0, whole, brace + 1, name.length);
        System.arraycopy(line, brace + 1, whole, brace + 1 + name.length, line.length - brace - 1);
        return whole;
    }

    @Override
    public boolean mayBlock() throws IOException {
        return sizeBytes < 0 && lines.mayBlock();
    }

    @Override
    public long position() {
        return lines.positionBytes();
    }

    @Override
    public long size() {
        return sizeBytes;
    }

    @Override
    public String place(long line) {
        return Long.toString(line);
    }

    @Override
    public List<SourceItem.Damaged> damaged() {
        return damaged;
    }

    @Override
    public void close() throws IOException {
        lines.close();
    }
}
