package io.recallgate.gateway.conversation.reply;

import io.vertx.core.buffer.Buffer;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;

/**
 * Finds the data of server-sent events in pieces that are cut anywhere. Lines end in LF, CR or both (WHATWG HTML, 9.2.6);
 * each {@code data} line is one JSON text in both protocols, so those of one event are not joined.
 */
final class EventLines {

    /** More than one event of a stream ever has; a longer line makes the answer one that is not remembered. */
    static final int MAX_LINE_BYTES = 1 << 20;

    private static final String DATA = "data:";

    private final Consumer<String> data;
    private final Runnable tooLong;
    private final ByteArrayOutputStream line = new ByteArrayOutputStream(256);

    /**
     * @param data told the text of each {@code data} line
     * @param tooLong told of a line that was not kept
     */
    EventLines(Consumer<String> data, Runnable tooLong) {
        this.data = data;
        this.tooLong = tooLong;
    }

    void take(Buffer piece) {
        byte[] bytes = piece.getBytes();
        int from = 0;
        for (int i = 0; i < bytes.length; i++) {
            if (bytes[i] == '\n' || bytes[i] == '\r') {
                keep(bytes, from, i);
                endLine();
                from = i + 1;
            }
        }
        keep(bytes, from, bytes.length);
    }

    /** The stream is over; a last line needs no end. */
    void end() {
        endLine();
    }

    private void keep(byte[] bytes, int from, int to) {
        if (line.size() + to - from > MAX_LINE_BYTES) {
            tooLong.run();
            line.reset();
        } else {
            line.write(bytes, from, to - from);
        }
    }

    private void endLine() {
        if (line.size() == 0) {
            return;
        }
        String text = line.toString(StandardCharsets.UTF_8);
        line.reset();
        if (text.startsWith(DATA)) {
            data.accept(text.substring(DATA.length()).strip());
        }
    }
}
