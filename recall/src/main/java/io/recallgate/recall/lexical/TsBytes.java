package io.recallgate.recall.lexical;

import io.vertx.core.buffer.Buffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

/**
 * Reads a {@code tsvector} as PostgreSQL sends it, for the terms of a question: how many lexemes, and of each its bytes, a
 * zero, how many positions, and these with their weights in the two upper bits. Text would cost the server twice as much.
 * Immutable; about a microsecond for each memory.
 */
final class TsBytes {

    private static final char[] WEIGHTS = {'D', 'C', 'B', 'A'};
    private static final int POSITION_BITS = 14;

    private final byte[][] terms;
    private final boolean[] marked;
    /** Places of terms by their hash, one more than they are; 0 is empty. */
    private final int[] table;

    /** @param terms distinct */
    TsBytes(List<String> terms) {
        this.terms = new byte[terms.size()][];
        this.marked = new boolean[terms.size()];
        this.table = new int[Math.max(8, Integer.highestOneBit(terms.size()) * 8)];
        for (int i = 0; i < terms.size(); i++) {
            byte[] bytes = terms.get(i).getBytes(StandardCharsets.UTF_8);
            int hash = 0;
            for (byte one : bytes) {
                hash = 31 * hash + one;
            }
            this.terms[i] = bytes;
            this.marked[i] = WordPlaces.isMarked(terms.get(i));
            int slot = slot(hash);
            while (table[slot] != 0) {
                slot = (slot + 1) & (table.length - 1);
            }
            table[slot] = i + 1;
        }
    }

    /** One position of one term. */
    @FunctionalInterface
    interface Entry {
        /**
         * Takes it.
         *
         * @param term its place in the question
         * @param marked whether it is a word in its own form
         */
        void accept(int term, boolean marked, int position, char weight);
    }

    /** How many terms. */
    int size() {
        return terms.length;
    }

    /**
     * Reads the positions of the terms.
     *
     * @throws RuntimeException if it is no tsvector
     */
    void read(Buffer tsvector, Entry sink) {
        byte[] bytes = tsvector.getBytes();
        int lexemes = tsvector.getInt(0);
        int i = Integer.BYTES;
        for (int lexeme = 0; lexeme < lexemes; lexeme++) {
            int from = i;
            int hash = 0;
            while (bytes[i] != 0) {
                hash = 31 * hash + bytes[i++];
            }
            int term = term(bytes, from, i, hash);
            int positions = unsigned(bytes, i + 1);
            i += 1 + Short.BYTES;
            for (int end = i + positions * Short.BYTES; i < end; i += Short.BYTES) {
                if (term >= 0) {
                    int entry = unsigned(bytes, i);
                    sink.accept(
                            term, marked[term], entry & ((1 << POSITION_BITS) - 1), WEIGHTS[entry >>> POSITION_BITS]);
                }
            }
        }
    }

    private int term(byte[] bytes, int from, int to, int hash) {
        int slot = slot(hash);
        while (table[slot] != 0) {
            byte[] term = terms[table[slot] - 1];
            if (Arrays.equals(term, 0, term.length, bytes, from, to)) {
                return table[slot] - 1;
            }
            slot = (slot + 1) & (table.length - 1);
        }
        return -1;
    }

    private int slot(int hash) {
        return (hash ^ (hash >>> 15)) & (table.length - 1);
    }

    private static int unsigned(byte[] bytes, int at) {
        return ((bytes[at] & 0xff) << Byte.SIZE) | (bytes[at + 1] & 0xff);
    }
}
