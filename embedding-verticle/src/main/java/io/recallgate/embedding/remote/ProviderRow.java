package io.recallgate.embedding.remote;

import io.recallgate.embedding.api.EmbedInput;
import io.recallgate.embedding.api.InputType;
import io.recallgate.embedding.api.TokenEstimate;
import io.vertx.core.json.JsonArray;

/**
 * An input as it is sent.
 *
 * @param value a text, or an array of token ids
 * @param mostTokens what it can have at most, whatever the model's vocabulary is
 * @param estimatedTokens what it likely has
 * @param truncated whether it was cut
 */
record ProviderRow(Object value, int mostTokens, int estimatedTokens, boolean truncated) {

    /**
     * The most characters of a text that are looked at: as the local pool's 32 KiB, since a model with a larger window
     * than that does not find anything in the average of so long a text either.
     */
    private static final int MAX_CHARS = 32 * 1024;

    /** Whether it is token ids: those and texts cannot go into one request. */
    boolean isTokens() {
        return value instanceof JsonArray;
    }

    /** Cuts the input to the model's window and puts the prefix before it. */
    static ProviderRow of(EmbedInput input, InputType type, RemoteOptions.Model model) {
        if (input instanceof EmbedInput.Tokens tokens) {
            int[] ids = tokens.ids();
            JsonArray array = new JsonArray();
            int length = Math.min(ids.length, model.maxTokens());
            for (int i = 0; i < length; i++) {
                array.add(ids[i]);
            }
            return new ProviderRow(array, length, length, ids.length > length);
        }
        String text = ((EmbedInput.Text) input).text();
        String prefix = type == InputType.QUERY ? model.queryPrefix() : model.documentPrefix();
        int room = Math.max(1, model.maxTokens() - TokenEstimate.tokens(prefix, 0, prefix.length()));
        int end = TokenEstimate.reach(text, 0, Math.min(text.length(), MAX_CHARS), room);
        if (end > 0 && end < text.length() && Character.isHighSurrogate(text.charAt(end - 1))) {
            end--;
        }
        String sent = prefix + text.substring(0, end);
        return new ProviderRow(
                sent, utf8Length(sent), TokenEstimate.tokens(sent, 0, sent.length()), end < text.length());
    }

    /** A token of any vocabulary stands for at least one byte of the text. */
    private static int utf8Length(String text) {
        int bytes = 0;
        for (int i = 0; i < text.length(); i++) {
            char unit = text.charAt(i);
            // Each half of a surrogate pair is two of its four bytes.
            bytes += unit < 0x80 ? 1 : unit < 0x800 || Character.isSurrogate(unit) ? 2 : 3;
        }
        return bytes;
    }
}
