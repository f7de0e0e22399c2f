package io.recallgate.gateway.http.transfer;

/** One line that is not blank, without its end. */
final class Line {

    private static final byte[] NOTHING = {};

    private final long number;
    private final byte[] utf8;
    private final boolean tooLong;

    private Line(long number, byte[] utf8, boolean tooLong) {
        this.number = number;
        this.utf8 = utf8;
        this.tooLong = tooLong;
    }

    static Line of(long number, byte[] utf8) {
        return new Line(number, utf8, false);
    }

    static Line tooLong(long number) {
        return new Line(number, NOTHING, true);
    }

    /** Counted from 1, blank lines too. */
    long number() {
        return number;
    }

    /** Its bytes, not copied; empty if it was too long. */
    byte[] utf8() {
        return utf8;
    }

    /** Whether it was longer than {@link LineFramer#MAX_LINE_BYTES} and is gone. */
    boolean isTooLong() {
        return tooLong;
    }
}
