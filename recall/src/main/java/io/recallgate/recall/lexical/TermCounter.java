package io.recallgate.recall.lexical;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.BiConsumer;

/** Counts the terms of a text, within bounds. Thread-safe. */
final class TermCounter {

    /** How often each term occurs, in order of first occurrence, and how long the text is. */
    record Counts(Map<String, Integer> terms, int length, boolean truncated) {}

    /** No limit, for texts that are bounded otherwise. */
    static final int UNBOUNDED = Integer.MAX_VALUE;

    private final TermReader reader;

    /** @param language whose stems and stop words count */
    TermCounter(Language language) {
        this.reader = new TermReader(language);
    }

    /**
     * Counts.
     *
     * @param text any text
     * @param maxTerms how many distinct terms to take; what comes later is left out and {@code truncated} says so
     * @param budgetBytes how many bytes of a tsvector the terms may take
     * @param lookup see {@link TermReader#read}
     */
    Counts count(String text, int maxTerms, int budgetBytes, boolean lookup) {
        Collector collector = new Collector(maxTerms, budgetBytes);
        reader.read(text, lookup, collector);
        return collector.counts();
    }

    /**
     * Counts the terms of a document.
     *
     * @param places takes where each lexeme stands, once for each: stems as they are, other forms marked
     */
    Counts count(String text, int maxTerms, int budgetBytes, BiConsumer<String, Places> places) {
        Collector collector = new Collector(maxTerms, budgetBytes);
        Map<String, Places> found = new LinkedHashMap<>();
        reader.read(text, false, (term, word, place, advances) -> {
            collector.take(term, word, place, advances);
            String lexeme = TsText.clean(term);
            if (place != TermReader.NOWHERE && place <= WordPlaces.LAST && collector.has(lexeme)) {
                found.computeIfAbsent(lexeme, ignored -> new Places()).add(place);
                String own = TsText.clean(WordPlaces.marked(word));
                if (!word.equals(term) && (found.containsKey(own) || collector.affords(own))) {
                    found.computeIfAbsent(own, ignored -> new Places()).add(place);
                }
            }
        });
        found.forEach(places);
        return collector.counts();
    }

    /** Reads without counting. */
    void read(String text, TermReader.Sink sink) {
        reader.read(text, true, sink);
    }

    /** The places of one lexeme, in order. */
    static final class Places {
        private short[] places = new short[2];
        private int size;

        private void add(int place) {
            if (size == WordPlaces.MAX_OF_WORD || (size > 0 && places[size - 1] == place)) {
                return;
            }
            if (size == places.length) {
                places = Arrays.copyOf(places, 2 * size);
            }
            places[size++] = (short) place;
        }

        int size() {
            return size;
        }

        int get(int index) {
            return places[index];
        }
    }

    /** Bounded counting. */
    private static final class Collector implements TermReader.Sink {
        private final int maxTerms;
        private final Map<String, Integer> terms = new LinkedHashMap<>();
        private long bytesLeft;
        private int length;
        private boolean truncated;

        Collector(int maxTerms, int budgetBytes) {
            this.maxTerms = maxTerms;
            this.bytesLeft = budgetBytes;
        }

        @Override
        public void take(String term, String word, int place, boolean advances) {
            String clean = TsText.clean(term);
            if (clean.isEmpty()) {
                return;
            }
            if (advances) {
                length++;
            }
            Integer before = terms.get(clean);
            if (before == null) {
                if (terms.size() >= maxTerms || !affords(clean)) {
                    truncated = true;
                    return;
                }
            }
            terms.merge(clean, 1, Integer::sum);
        }

        /** Whether there is room for a lexeme, which is then taken. */
        boolean affords(String lexeme) {
            // Three bytes a UTF-16 unit at most, plus entry, count and three positions.
            int cost = 3 * lexeme.length() + 12;
            if (cost > bytesLeft) {
                return false;
            }
            bytesLeft -= cost;
            return true;
        }

        boolean has(String term) {
            return terms.containsKey(term);
        }

        Counts counts() {
            return new Counts(terms, length, truncated);
        }
    }
}
