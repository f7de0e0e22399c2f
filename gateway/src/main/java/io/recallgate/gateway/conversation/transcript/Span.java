package io.recallgate.gateway.conversation.transcript;

/**
 * A run of bytes in a body.
 *
 * @param start of the first byte, from 0
 * @param end after the last byte
 */
public record Span(int start, int end) {

    /** Refuses what is no run. */
    public Span {
        if (start < 0 || end < start) {
            throw new IllegalArgumentException("no span: " + start + " to " + end);
        }
    }

    /** Bytes in it. */
    public int length() {
        return end - start;
    }
}
