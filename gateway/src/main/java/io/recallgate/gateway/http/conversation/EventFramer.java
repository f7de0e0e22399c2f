package io.recallgate.gateway.http.conversation;

import io.vertx.core.buffer.Buffer;

/**
 * Cuts a stream of server-sent events where events end. No client can use a part of one; and a stream that breaks off in the
 * middle of an event can then still be ended with one that says so.
 */
final class EventFramer {

    /** What is kept of an event that has not ended; a longer one is passed on in parts. */
    static final int MAX_KEPT_BYTES = 256 * 1024;

    private static final byte LF = '\n';
    private static final byte CR = '\r';

    private Buffer kept = Buffer.buffer();
    /** Whether the line that is being read has something in it. */
    private boolean inLine;

    private boolean afterCr;
    private boolean eventEndedWithCr;
    private boolean partPassed;

    /**
     * Takes the next piece.
     *
     * @return what is whole now, which may be nothing
     */
    Buffer take(Buffer piece) {
        int end = 0;
        for (int i = 0; i < piece.length(); i++) {
            byte b = piece.getByte(i);
            if (b == LF && afterCr) {
                // The second half of one line break; behind an event's last one it belongs to that event.
                afterCr = false;
                end = eventEndedWithCr ? i + 1 : end;
                continue;
            }
            afterCr = b == CR;
            eventEndedWithCr = afterCr && !inLine;
            if (b != LF && b != CR) {
                inLine = true;
            } else if (inLine) {
                inLine = false;
            } else {
                end = i + 1;
            }
        }
        if (end == 0 && kept.length() + piece.length() > MAX_KEPT_BYTES) {
            partPassed = true;
            return flush(piece);
        }
        if (end == 0) {
            kept.appendBuffer(piece);
            return Buffer.buffer();
        }
        partPassed = false;
        Buffer whole = flush(piece.slice(0, end));
        kept.appendBuffer(piece.slice(end, piece.length()));
        return whole;
    }

    private Buffer flush(Buffer more) {
        if (kept.length() == 0) {
            return more;
        }
        Buffer whole = kept.appendBuffer(more);
        kept = Buffer.buffer();
        return whole;
    }

    /** The stream has ended: what is left of it. */
    Buffer rest() {
        Buffer rest = kept;
        kept = Buffer.buffer();
        return rest;
    }

    /** The stream broke off: what has to come before another event. */
    Buffer separator() {
        return Buffer.buffer(partPassed ? "\n\n" : "");
    }
}
