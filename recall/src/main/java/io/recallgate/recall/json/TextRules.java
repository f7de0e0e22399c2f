package io.recallgate.recall.json;

import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;

/** Text that every part can store and send unharmed. */
public final class TextRules {

    private TextRules() {}

    /**
     * Refuses NUL, which PostgreSQL cannot store, and lone surrogates, which it would store as question marks and for
     * which the tokenizer would lose more than the one character.
     *
     * @param field path for the failure
     * @return bytes of {@code text} in UTF-8
     * @throws FailureException {@code invalid-text} naming the field
     */
    public static long requireClean(String field, String text) {
        long bytes = 0;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == 0) {
                throw bad(field, "NUL", i);
            }
            if (!Character.isSurrogate(c)) {
                bytes += c < 0x80 ? 1 : c < 0x800 ? 2 : 3;
            } else if (Character.isHighSurrogate(c)
                    && i + 1 < text.length()
                    && Character.isLowSurrogate(text.charAt(i + 1))) {
                bytes += 4;
                i++;
            } else {
                throw bad(field, "a lone surrogate", i);
            }
        }
        return bytes;
    }

    private static FailureException bad(String field, String what, int index) {
        return FailureException.ofField(
                FailureCode.INVALID_TEXT, field, field + " has " + what + " at character " + index);
    }
}
