package io.recallgate.embedding.api;

import java.util.Arrays;

/** One row to embed: text, or token ids of the model itself. Immutable. */
public sealed interface EmbedInput {

    /**
     * Bytes this input is charged with in the queue: UTF-8 bytes of a text, four for each token id.
     *
     * @return zero or more
     */
    long chargedBytes();

    /**
     * A text. The model's prefix for the request's {@link InputType} is put before it.
     *
     * @param text valid Unicode without NUL; may be empty
     */
    record Text(String text) implements EmbedInput {
        @Override
        public long chargedBytes() {
            // Three bytes is the most a UTF-16 code unit takes in UTF-8; exact counting would cost a pass for nothing.
            return 3L * text.length();
        }

        @Override
        public String toString() {
            return "Text[" + text.length() + " chars]";
        }
    }

    /**
     * Token ids of the model's own vocabulary, without special tokens; no prefix is added.
     *
     * @param ids each at least zero
     */
    @SuppressWarnings("ArrayRecordComponent") // copied on the way in and out; boxing thousands of ids would cost more
    record Tokens(int[] ids) implements EmbedInput {
        /** Copies the ids. */
        public Tokens {
            ids = ids.clone();
        }

        @Override
        public int[] ids() {
            return ids.clone();
        }

        @Override
        public long chargedBytes() {
            return 4L * ids.length;
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Tokens tokens && Arrays.equals(ids, tokens.ids);
        }

        @Override
        public int hashCode() {
            return Arrays.hashCode(ids);
        }

        @Override
        public String toString() {
            return "Tokens[" + ids.length + "]";
        }
    }
}
