package io.recallgate.recall.lexical;

import io.vertx.core.buffer.Buffer;

/**
 * How often each term of a question occurs in one memory, field by field. Arrays are in the order of the terms and never
 * changed once read.
 */
final class WordCounts {

    final int length;
    final double[] body;
    final double[] author;
    final double[] date;
    /** The bits of the phrases that it has, the first one's lowest. */
    final int phrases;

    private WordCounts(int length, int terms, int phrases) {
        this.length = length;
        this.phrases = phrases;
        this.body = new double[terms];
        this.author = new double[terms];
        this.date = new double[terms];
    }

    /**
     * Reads.
     *
     * @param terms of the question
     * @param length terms of the memory's text
     * @param words its words as the server sends them; those that are not asked for are skipped
     * @param phrases the bits of the phrases that it has
     */
    static WordCounts read(TsBytes terms, int length, Buffer words, int phrases) {
        WordCounts counts = new WordCounts(length, terms.size(), phrases);
        terms.read(words, (term, marked, position, weight) -> {
            LexicalField field = LexicalField.of(weight);
            if (field != null) {
                counts.of(field)[term] += field.count(position);
            } else if (marked && WordPlaces.is(weight)) {
                // A word in its own form has places only, and so many of them are told that they will do as a count.
                counts.body[term]++;
            }
        });
        return counts;
    }

    /** Whether any term is in the author's name. */
    boolean authored() {
        for (double count : author) {
            if (count > 0) {
                return true;
            }
        }
        return false;
    }

    private double[] of(LexicalField field) {
        return switch (field) {
            case BODY -> body;
            case AUTHOR -> author;
            case DATE -> date;
        };
    }
}
