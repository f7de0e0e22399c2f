package io.recallgate.gateway.cli.console;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.Charset;

/**
 * The one line of a terminal that is rewritten in place, and the streams that must not write into it. A write through a
 * {@link #guard guarded} stream erases the line first, and the line comes back below what was written, so that log
 * lines of any thread stay whole. Thread-safe.
 */
public final class StatusLine {

    /** Return and "erase to the end of the line": understood wherever standard error is a terminal. */
    private static final String ERASE = "\r\u001b[K";

    private final PrintStream terminal;
    private String text = "";
    private boolean visible;
    /** Somebody's line has begun and not ended: the status line waits for its end. */
    private boolean amidLine;

    /** @param terminal where the line is drawn; itself not guarded */
    public StatusLine(PrintStream terminal) {
        this.terminal = terminal;
    }

    /**
     * Draws or redraws the line.
     *
     * @param line its text; narrower than the terminal, without a line end
     */
    public synchronized void show(String line) {
        text = line;
        draw();
    }

    /** Leaves the line as it is; what is written next goes below. */
    public synchronized void keep() {
        if (visible) {
            terminal.println();
            terminal.flush();
        }
        text = "";
        visible = false;
    }

    /** Erases the line for good. */
    public synchronized void erase() {
        hide();
        text = "";
    }

    /**
     * A stream to the same terminal that keeps clear of the line.
     *
     * @param target written to, never closed
     * @param charset of texts; the one that {@code target} was opened with
     */
    public PrintStream guard(PrintStream target, Charset charset) {
        return new PrintStream(new Guard(target), true, charset);
    }

    private void draw() {
        if (!amidLine && !text.isEmpty()) {
            terminal.print("\r" + text + "\u001b[K");
            terminal.flush();
            visible = true;
        }
    }

    private void hide() {
        if (visible) {
            terminal.print(ERASE);
            terminal.flush();
            visible = false;
        }
    }

    private synchronized void write(PrintStream target, byte[] bytes, int offset, int length) {
        if (length > 0) {
            hide();
            target.write(bytes, offset, length);
            target.flush();
            amidLine = bytes[offset + length - 1] != '\n';
            draw();
        }
    }

    /** Passes whole writes on, not single bytes as its parent would. */
    private final class Guard extends FilterOutputStream {
        private final PrintStream target;

        Guard(PrintStream target) {
            super(target);
            this.target = target;
        }

        @Override
        public void write(int single) {
            write(new byte[] {(byte) single}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) {
            StatusLine.this.write(target, bytes, offset, length);
        }

        @Override
        public void close() throws IOException {
            flush();
        }
    }
}
