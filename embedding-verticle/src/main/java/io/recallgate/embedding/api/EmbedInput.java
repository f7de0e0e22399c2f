package io.recallgate.embedding.api;

import java.util.Arrays;

/** One row to embed: text, or token ids of the model itself. Immutable. */
public sealed interface EmbedInput {

    /**
     * Bytes this input is charged with in the queue, which are those it holds in memory: a text one for each character
     * if all are of ISO 8859-1, as in English, and two otherwise; four for each token id; and what Java puts around
     * them, {@value Text#OVERHEAD_BYTES} for a text and {@value Tokens#OVERHEAD_BYTES} for token ids. Looks at the
     * characters of a text, so it is for worker threads when there are megabytes of it.
     *
     * @return more than zero
     */
    long chargedBytes();

    /** What {@link #chargedBytes} is at least, without a look at the text. */
    long leastBytes();

    /** What {@link #chargedBytes} is at most, without a look at the text. */
    long mostBytes();

    /**
     * A text. The model's prefix for the request's {@link InputType} is put before it.
     *
     * @param text valid Unicode without NUL; may be empty
     */
    record Text(String text) implements EmbedInput {

        /**
         * Of the objects around the characters, and of the place in a list. The benchmark {@code RowMemory} shows 60
         * with references of four bytes, and up to 7 more to the next multiple of eight.
         */
        public static final int OVERHEAD_BYTES = 64;

        /** A string is kept in one byte a character up to this one, and in two if any is beyond (JEP 254). */
        private static final char MAX_ONE_BYTE = '\u00FF';

        @Override
        public long chargedBytes() {
            for (int at = 0; at < text.length(); at++) {
                if (text.charAt(at) > MAX_ONE_BYTE) {
                    return mostBytes();
                }
            }
            return leastBytes();
        }

        @Override
        public long leastBytes() {
            return (long) OVERHEAD_BYTES + text.length();
        }

        @Override
        public long mostBytes() {
            return OVERHEAD_BYTES + (long) Character.BYTES * text.length();
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

        /** Of the objects around the ids: {@code RowMemory} shows 36, and up to 4 more, as for {@link Text}. */
        public static final int OVERHEAD_BYTES = 40;

        /** Copies the ids. */
        public Tokens {
            ids = ids.clone();
        }

        @Override
        public int[] ids() {
            return ids.clone();
        }

        /** How many they are. */
        public int count() {
            return ids.length;
        }

        @Override
        public long chargedBytes() {
            return OVERHEAD_BYTES + (long) Integer.BYTES * ids.length;
        }

        @Override
        public long leastBytes() {
            return chargedBytes();
        }

        @Override
        public long mostBytes() {
            return chargedBytes();
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
