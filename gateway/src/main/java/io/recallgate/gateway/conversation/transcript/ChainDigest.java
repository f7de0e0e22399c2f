package io.recallgate.gateway.conversation.transcript;

import io.recallgate.digest.Sha256;
import io.recallgate.gateway.conversation.turn.Protocol;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;

/**
 * The digest of a conversation up to a message: SHA-256 over the digest up to the message before and the message's tokens. A
 * token is a letter for its kind, and for names, texts and numbers the number of its bytes and the bytes, so that no two
 * messages have the same run of bytes. White space and the way a text is escaped leave no trace.
 */
final class ChainDigest {

    /** Bytes of one link. */
    static final int LENGTH = 32;

    /** The form of the tokens. Another form has another number, and matches nothing that was stored before. */
    private static final String FORM = "recallgate chain 1 ";

    /** Small tokens are gathered: an update of a few bytes costs as much as one of some hundred. */
    private static final int BUFFER_BYTES = 4_096;

    private final MessageDigest sha256 = Sha256.digest();
    private final byte[] buffer = new byte[BUFFER_BYTES];
    private int used;
    private byte[] previous;

    ChainDigest(Protocol protocol) {
        sha256.update((FORM + protocol.name()).getBytes(StandardCharsets.UTF_8));
        previous = sha256.digest();
    }

    /** Begins a message. */
    void begin() {
        sha256.reset();
        used = 0;
        put(previous, 0, LENGTH);
    }

    /** A bracket, or a literal, as the letter that stands for it. */
    void mark(char kind) {
        put((byte) kind);
    }

    /** A field's name. */
    void name(String name) {
        byte[] utf8 = name.getBytes(StandardCharsets.UTF_8);
        bytes('n', utf8, 0, utf8.length);
    }

    /** A token with its bytes. */
    void bytes(char kind, byte[] bytes, int start, int end) {
        put((byte) kind);
        int length = end - start;
        for (int shift = 24; shift >= 0; shift -= 8) {
            put((byte) (length >>> shift));
        }
        put(bytes, start, length);
    }

    /** Ends the message: the link up to it, on which the next one stands. */
    byte[] end() {
        flush();
        previous = sha256.digest();
        return previous;
    }

    private void put(byte b) {
        if (used == BUFFER_BYTES) {
            flush();
        }
        buffer[used++] = b;
    }

    private void put(byte[] bytes, int start, int length) {
        if (length > BUFFER_BYTES - used) {
            flush();
        }
        if (length > BUFFER_BYTES) {
            sha256.update(bytes, start, length);
        } else {
            System.arraycopy(bytes, start, buffer, used, length);
            used += length;
        }
    }

    private void flush() {
        sha256.update(buffer, 0, used);
        used = 0;
    }
}
