package io.recallgate.gateway.http.transfer;

import java.util.Arrays;
import java.util.function.Consumer;

/**
 * Cuts pieces of any size into lines. Holds the beginning of one line at most, and of a line that is too long nothing: it
 * is skipped to its end. Lines end with LF or CRLF, the last one also without; blank ones are counted and left out; a
 * byte order mark at the beginning of a line is dropped, since files get joined. Owned by one thread.
 */
final class LineFramer {

    /** Content of 1 MiB with every byte escaped takes 6 MiB, the other fields half a MiB. */
    static final int MAX_LINE_BYTES = 8 << 20;

    private static final byte[] BYTE_ORDER_MARK = {(byte) 0xEF, (byte) 0xBB, (byte) 0xBF};
    private static final int SMALL_BYTES = 4 * 1024;

    private final Consumer<Line> lines;
    private byte[] open = new byte[SMALL_BYTES];
    private int openBytes;
    private boolean skipping;
    private long number;

    /** @param lines takes each line, in order */
    LineFramer(Consumer<Line> lines) {
        this.lines = lines;
    }

    /** Lines that have ended. */
    long count() {
        return number;
    }

    /** Takes the next piece. */
    void feed(byte[] piece) {
        int from = 0;
        for (int i = 0; i < piece.length; i++) {
            if (piece[i] == '\n') {
                keep(piece, from, i);
                close();
                from = i + 1;
            }
        }
        keep(piece, from, piece.length);
    }

    /** Ends the last line, if it has no end of its own. */
    void end() {
        if (openBytes > 0 || skipping) {
            close();
        }
    }

    private void keep(byte[] piece, int from, int to) {
        int length = to - from;
        if (skipping || length == 0) {
            return;
        }
        if (openBytes + length > MAX_LINE_BYTES) {
            skipping = true;
            forget();
            return;
        }
        if (openBytes + length > open.length) {
            open = Arrays.copyOf(open, Math.min(MAX_LINE_BYTES, Math.max(openBytes + length, 2 * open.length)));
        }
        System.arraycopy(piece, from, open, openBytes, length);
        openBytes += length;
    }

    private void close() {
        number++;
        if (skipping) {
            skipping = false;
            lines.accept(Line.tooLong(number));
            return;
        }
        int from = Arrays.mismatch(open, 0, Math.min(3, openBytes), BYTE_ORDER_MARK, 0, 3) < 0 ? 3 : 0;
        int to = openBytes > from && open[openBytes - 1] == '\r' ? openBytes - 1 : openBytes;
        if (!isBlank(from, to)) {
            lines.accept(Line.of(number, Arrays.copyOfRange(open, from, to)));
        }
        forget();
    }

    private boolean isBlank(int from, int to) {
        for (int i = from; i < to; i++) {
            if (open[i] != ' ' && open[i] != '\t' && open[i] != '\r') {
                return false;
            }
        }
        return true;
    }

    private void forget() {
        openBytes = 0;
        if (open.length > 16 * SMALL_BYTES) {
            open = new byte[SMALL_BYTES];
        }
    }
}
