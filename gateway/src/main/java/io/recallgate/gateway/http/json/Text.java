package io.recallgate.gateway.http.json;

import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;

/** The check that every text passes at the edge, whatever part of the request it came in. */
public final class Text {

    private Text() {}

    /**
     * Returns {@code text} if it can be stored and tokenised unharmed.
     *
     * @param field where the caller wrote it
     * @throws FailureException {@code invalid-text} naming the field, for NUL and for lone surrogates
     */
    public static String check(String field, String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == 0) {
                throw FailureException.ofField(FailureCode.INVALID_TEXT, field, field + " contains NUL (U+0000)");
            }
            if (Character.isSurrogate(c)) {
                boolean pair = Character.isHighSurrogate(c)
                        && i + 1 < text.length()
                        && Character.isLowSurrogate(text.charAt(i + 1));
                if (!pair) {
                    throw FailureException.ofField(
                            FailureCode.INVALID_TEXT, field, field + " contains a lone surrogate; send valid Unicode");
                }
                i++;
            }
        }
        return text;
    }
}
