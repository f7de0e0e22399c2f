package io.recallgate.recall.log;

import io.recallgate.recall.api.Scope;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Tells equal questions of a scope without being able to read them: HMAC-SHA-256, whose key keeps short questions from
 * being guessed. Questions of two scopes cannot be compared. Thread-safe.
 */
final class QuestionHash {

    /** The beginning of a question and its length tell it from others; a pasted document is not hashed for a millisecond. */
    private static final int MAX_CHARS = 8_192;

    private static final String ALGORITHM = "HmacSHA256";

    private final SecretKeySpec key;

    /** @param key 32 bytes */
    QuestionHash(byte[] key) {
        this.key = new SecretKeySpec(key, ALGORITHM);
    }

    byte[] of(Scope scope, String question) {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(key);
            // NUL occurs in none of them.
            for (String part : new String[] {
                scope.owner(),
                scope.project(),
                Integer.toString(question.length()),
                question.substring(0, Math.min(MAX_CHARS, question.length()))
            }) {
                mac.update(part.getBytes(StandardCharsets.UTF_8));
                mac.update((byte) 0);
            }
            return mac.doFinal();
        } catch (GeneralSecurityException e) {
            // Every Java platform has it.
            throw new IllegalStateException(e);
        }
    }
}
