package io.recallgate.embedding.api;

import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import io.vertx.core.json.JsonArray;
import org.jspecify.annotations.Nullable;

/** What callers may send as a row, the same over HTTP and the event bus. */
public final class EmbedRows {

    private EmbedRows() {}

    /**
     * A text.
     *
     * @param field as the caller wrote it, such as {@code input[3]}
     * @throws FailureException {@code invalid-field} if it is empty, {@code invalid-text} if it has NUL or half of a
     *     surrogate pair
     */
    public static EmbedInput.Text text(String text, String field) {
        if (text.isEmpty()) {
            throw invalid(field, "an empty text has no embedding; leave it out");
        }
        for (int i = 0; i < text.length(); i++) {
            char unit = text.charAt(i);
            boolean pair = Character.isHighSurrogate(unit)
                    && i + 1 < text.length()
                    && Character.isLowSurrogate(text.charAt(i + 1));
            if (unit == 0 || (Character.isSurrogate(unit) && !pair)) {
                throw FailureException.ofField(
                        FailureCode.INVALID_TEXT, field, field + " contains NUL or half of a surrogate pair");
            }
            if (pair) {
                i++;
            }
        }
        return new EmbedInput.Text(text);
    }

    /**
     * Token ids. Whether the model has them is known where the model is.
     *
     * @param field as the caller wrote it, such as {@code input[3]}
     * @throws FailureException {@code invalid-field} if there are none, or about the first that is not a whole number
     *     from 0 to 2147483647
     */
    public static EmbedInput.Tokens tokens(JsonArray ids, String field) {
        if (ids.isEmpty()) {
            throw invalid(field, "an empty array of token ids has no embedding; leave it out");
        }
        int[] copied = new int[ids.size()];
        for (int i = 0; i < copied.length; i++) {
            copied[i] = id(ids.getValue(i), field + "[" + i + "]");
        }
        return new EmbedInput.Tokens(copied);
    }

    private static int id(@Nullable Object value, String field) {
        // On the bus of one process a number comes as the caller made it.
        if (value instanceof Integer || value instanceof Long) {
            long id = ((Number) value).longValue();
            if (id >= 0 && id <= Integer.MAX_VALUE) {
                return (int) id;
            }
        }
        throw invalid(field, "a token id must be a whole number from 0 to 2147483647");
    }

    private static FailureException invalid(String field, String detail) {
        return FailureException.ofField(FailureCode.INVALID_FIELD, field, detail);
    }
}
