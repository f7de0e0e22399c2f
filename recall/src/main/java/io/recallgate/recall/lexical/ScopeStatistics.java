package io.recallgate.recall.lexical;

import java.util.Map;
import java.util.Set;

/**
 * What BM25 knows of a scope as a whole. Immutable.
 *
 * @param documents number of memories
 * @param averageLength of their texts, in terms
 * @param frequencies in how many memories a term is, for those in two or more
 * @param authors terms of authors' names
 */
record ScopeStatistics(long documents, double averageLength, Map<String, Integer> frequencies, Set<String> authors) {

    ScopeStatistics {
        frequencies = Map.copyOf(frequencies);
        authors = Set.copyOf(authors);
    }

    /** In how many memories the term is; one where nothing is known, so that new and rare words lead. */
    int frequency(String term) {
        return frequencies.getOrDefault(term, 1);
    }

    /** How much it is charged in the cache. */
    int size() {
        return frequencies.size() + authors.size() + 16;
    }
}
