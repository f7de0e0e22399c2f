package io.recallgate.recall.lexical;

/**
 * Where words stand in a memory's text, as the positions of weight C of a {@code tsvector}: behind those that tell counts,
 * so that neither is taken for the other. A position is 1 to 16,383, and a lexeme has 256 of them at most, the lowest
 * ones; so the first {@value #LAST} places of a text are told, and the first {@value #MAX_OF_WORD} of a word.
 *
 * <p>Words that have a stem are there in their own form too, marked, with places only: nothing that goes by counts sees
 * them.
 */
final class WordPlaces {

    /** The last place that is told; some twenty pages of text. */
    static final int LAST = 4_095;

    /** Three of 256 positions tell how often a word is in each field. */
    static final int MAX_OF_WORD = 253;

    private static final int BASE = 12_288;
    private static final char WEIGHT = 'C';

    /** No word begins with it. */
    private static final char MARK = '=';

    private WordPlaces() {}

    /** Appends the position that says that a word stands at this place, 1 to {@link #LAST}. */
    static void append(StringBuilder out, int place) {
        out.append(BASE + place).append(WEIGHT);
    }

    /** Whether a position of this weight tells a place. */
    static boolean is(char weight) {
        return weight == WEIGHT;
    }

    /** A word in its own form, as a lexeme. */
    static String marked(String word) {
        return MARK + word;
    }

    /** Whether a lexeme is a word in its own form. */
    static boolean isMarked(String lexeme) {
        return !lexeme.isEmpty() && lexeme.charAt(0) == MARK;
    }

    /** The word of a marked lexeme. */
    static String word(String marked) {
        return marked.substring(1);
    }

    /** Appends a lexeme of a query that matches at its places only. */
    static void quote(StringBuilder out, String lexeme) {
        TsText.quote(out, lexeme).append(':').append(WEIGHT);
    }
}
