package io.recallgate.recall.lexical;

/**
 * Okapi BM25 (Robertson and Zaragoza, 2009) with term frequencies that fields have weighted before (BM25F). Pure.
 *
 * <p>k1 is the customary 1.2. b is 0.4 and not 0.75: turns of a conversation are short, and long ones say more rather
 * than the same at length; measured on conversations, flat between 0.3 and 0.5.
 */
final class Bm25 {

    static final double K1 = 1.2;
    static final double B = 0.4;

    private Bm25() {}

    /**
     * How telling a term is. Never negative, also for a term that every document has.
     *
     * @param documents how many there are
     * @param frequency how many have the term; a stale statistic may say more than there are
     */
    static double idf(long documents, long frequency) {
        double having = Math.min(frequency, documents);
        return Math.log1p((documents - having + 0.5) / (having + 0.5));
    }

    /**
     * What a term adds to the score of a document.
     *
     * @param frequency weighted occurrences in it, zero or more
     * @param length its terms, weighted like the occurrences
     * @param averageLength of all documents; zero is taken as one
     */
    static double score(double idf, double frequency, double length, double averageLength) {
        double norm = 1 - B + B * length / Math.max(1, averageLength);
        return idf * frequency * (K1 + 1) / (frequency + K1 * norm);
    }
}
