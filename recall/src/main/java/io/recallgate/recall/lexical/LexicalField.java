package io.recallgate.recall.lexical;

import org.jspecify.annotations.Nullable;

/**
 * The fields of a memory's words, told apart by the weight letter of a {@code tsvector}. How often a term occurs in a
 * field is one position: field base plus count, so a lexeme has at most three positions however long the text is, and
 * PostgreSQL's limits of 256 positions and of position 16,383 never lose a count.
 */
enum LexicalField {
    /** What was said; a count is worth itself. */
    BODY('D', 0, 1.0),
    /** Who said it: a match is worth two in the text (measured on conversations; a flat optimum). */
    AUTHOR('A', 4_096, 2.0),
    /** When it was said, in words: a match is worth half of one in the text (measured likewise). */
    DATE('B', 8_192, 0.5);

    /** The highest count that is told from a higher one; BM25 with k1 1.2 is flat long before. */
    static final int MAX_COUNT = 4_095;

    private final char weight;
    private final int base;
    private final double boost;

    LexicalField(char weight, int base, double boost) {
        this.weight = weight;
        this.base = base;
        this.boost = boost;
    }

    /** What one occurrence here is worth as term frequency. */
    double boost() {
        return boost;
    }

    /** Appends the position that says that a term occurs {@code count} times here. */
    void append(StringBuilder out, int count) {
        out.append(base + Math.min(count, MAX_COUNT));
        if (weight != 'D') {
            out.append(weight);
        }
    }

    /** The field that a stored weight stands for; null for one that is not ours. */
    static @Nullable LexicalField of(char weight) {
        for (LexicalField field : values()) {
            if (field.weight == weight) {
                return field;
            }
        }
        return null;
    }

    /** How often the term occurs, of a position that {@link #append} wrote. */
    int count(int position) {
        return position - base;
    }
}
