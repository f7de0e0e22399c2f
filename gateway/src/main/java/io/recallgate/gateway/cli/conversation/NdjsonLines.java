package io.recallgate.gateway.cli.conversation;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import org.jspecify.annotations.Nullable;

/** The lines of a stream as bytes, blank ones too. Used by one thread. */
public final class NdjsonLines implements Closeable {

    /** The longest line that the gateway takes. */
    public static final int MAX_LINE_BYTES = 8 << 20;

    private final InputStream in;
    private long positionBytes;
    private long number;
    private boolean tooLong;

    /** @param in closed with this */
    public NdjsonLines(InputStream in) {
        this.in = new BufferedInputStream(in, 1 << 16);
    }

    /**
     * The next line without its LF, empty if it was {@link #isTooLong() too long}, null at the end.
     *
     * @throws IOException if reading fails
     */
    public byte @Nullable [] next() throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream(256);
        tooLong = false;
        int next = in.read();
        if (next < 0) {
            return null;
        }
        number++;
        while (next >= 0) {
            positionBytes++;
            if (next == '\n') {
                break;
            }
            if (line.size() < MAX_LINE_BYTES) {
                line.write(next);
            } else {
                // Read on to the line's end, so that the lines after it are found.
                tooLong = true;
            }
            next = in.read();
        }
        return tooLong ? new byte[0] : line.toByteArray();
    }

    /** Whether the line read last had more than {@link #MAX_LINE_BYTES}. */
    public boolean isTooLong() {
        return tooLong;
    }

    /** The number of the line read last, counted from 1. */
    public long number() {
        return number;
    }

    /** Bytes read so far. */
    public long positionBytes() {
        return positionBytes;
    }

    /**
     * Whether the next line is not there yet, as far as that can be told.
     *
     * @throws IOException if it cannot be asked
     */
    public boolean mayBlock() throws IOException {
        return in.available() == 0;
    }

    @Override
    public void close() throws IOException {
        in.close();
    }
}
