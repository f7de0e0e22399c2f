package io.recallgate.digest;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** SHA-256, which every Java platform must have ({@link MessageDigest}). Thread-safe. */
public final class Sha256 {

    private Sha256() {}

    /** A digest to be fed, owned by whoever asked for it. */
    public static MessageDigest digest() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException("every Java platform has SHA-256", impossible);
        }
    }

    /** @return the 32 bytes of these bytes' hash */
    public static byte[] of(byte[] bytes) {
        return digest().digest(bytes);
    }

    /** @return the 32 bytes of the hash of a text's UTF-8 form */
    public static byte[] of(String text) {
        return of(text.getBytes(StandardCharsets.UTF_8));
    }

    /** @return 64 lower-case hex digits */
    public static String hex(byte[] bytes) {
        return HexFormat.of().formatHex(of(bytes));
    }

    /** @return 64 lower-case hex digits of the hash of a text's UTF-8 form */
    public static String hex(String text) {
        return HexFormat.of().formatHex(of(text));
    }
}
