package io.recallgate.recall.lexical;

import io.recallgate.digest.Sha256;
import io.recallgate.recall.api.Scope;
import io.vertx.core.buffer.Buffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * In which memories of a block a word is, as bytes: for each memory how far its position is from the one before, seven bits a
 * byte and the lowest first; how often the word is in the text, up to 63, with one bit for the author's name and one for the
 * date; and how long the text is, up to 255 terms. What is cut off there is told from memories as they are read.
 */
final class Postings {

    /** A word of fewer memories of a block is left out: half of all words are in one text only, and the index on words finds them. */
    static final int MIN_MEMORIES = 3;

    /** A block has no more positions, so that its memories have a place in an array, whoever else writes between them. */
    static final int MAX_SPAN = 1 << 16;

    private static final int MAX_COUNT = 63;
    private static final int AUTHOR = 1 << 6;
    private static final int DATE = 1 << 7;
    private static final int MAX_LENGTH = 255;

    private Postings() {}

    /** Takes what a posting tells. */
    @FunctionalInterface
    interface Sink {
        /**
         * One memory.
         *
         * @param place its position, counted from the block's first
         * @param count how often the word is in its text
         * @param length terms of its text
         */
        void take(int place, int count, boolean author, boolean date, int length);
    }

    /**
     * Under which number the postings of a word are.
     *
     * @param word as the analysis has it
     */
    static long key(Scope scope, String word) {
        byte[] digest = Sha256.of(scope.owner() + '\0' + scope.project() + '\0' + word);
        return Buffer.buffer(digest).getLong(0);
    }

    /** Reads what {@link Block} wrote. */
    static void read(Buffer postings, Sink sink) {
        byte[] bytes = postings.getBytes();
        int place = 0;
        int i = 0;
        while (i < bytes.length) {
            int shift = 0;
            int step = 0;
            byte next;
            do {
                next = bytes[i++];
                step |= (next & 0x7f) << shift;
                shift += 7;
            } while (next < 0);
            place += step;
            int counts = bytes[i++];
            sink.take(place, counts & MAX_COUNT, (counts & AUTHOR) != 0, (counts & DATE) != 0, bytes[i++] & 0xff);
        }
    }

    /** The postings of a block while it is made. One thread. */
    static final class Block {
        private final Map<String, Word> words = new HashMap<>();
        private final Map<String, Integer> counts = new HashMap<>();

        /**
         * Takes a memory; they come in the order of their positions.
         *
         * @param place its position, counted from the block's first
         * @param tsvector its words in text form
         */
        void add(int place, int length, String tsvector) {
            counts.clear();
            TsText.read(tsvector, (lexeme, position, weight) -> {
                LexicalField field = LexicalField.of(weight);
                if (field != null) {
                    int flags =
                            switch (field) {
                                case BODY -> Math.min(MAX_COUNT, field.count(position));
                                case AUTHOR -> AUTHOR;
                                case DATE -> DATE;
                            };
                    counts.merge(lexeme, flags, (one, other) -> one | other);
                }
            });
            counts.forEach((lexeme, flags) -> words.computeIfAbsent(lexeme, ignored -> new Word())
                    .add(place, flags, Math.min(MAX_LENGTH, length)));
        }

        /** The words that are worth it. */
        List<String> words() {
            List<String> worth = new ArrayList<>();
            words.forEach((lexeme, word) -> {
                if (word.memories >= MIN_MEMORIES) {
                    worth.add(lexeme);
                }
            });
            return worth;
        }

        Buffer postings(String lexeme) {
            Word word = words.get(lexeme);
            return word == null ? Buffer.buffer() : word.bytes;
        }
    }

    private static final class Word {
        private final Buffer bytes = Buffer.buffer();
        private int memories;
        private int last;

        void add(int place, int flags, int length) {
            int step = place - last;
            while (step > 0x7f) {
                bytes.appendByte((byte) (step | 0x80));
                step >>>= 7;
            }
            bytes.appendByte((byte) step).appendByte((byte) flags).appendByte((byte) length);
            last = place;
            memories++;
        }
    }
}
