package io.recallgate.recall.lexical;

import java.util.Map;
import java.util.Set;

/**
 * What ranking knows of a scope as a whole. Immutable.
 *
 * @param documents number of memories
 * @param averageLength of their texts, in terms
 * @param frequencies in how many texts a term is, for those in two or more
 * @param fieldFrequencies in how many authors' names and dates a term is
 * @param authors terms of authors' names
 * @param languages whose stems its memories have
 * @param cohesion how far turns that follow each other belong together
 */
record ScopeStatistics(
        long documents,
        double averageLength,
        Map<String, Integer> frequencies,
        Map<String, Integer> fieldFrequencies,
        Set<String> authors,
        Set<Language> languages,
        Cohesion cohesion) {

    ScopeStatistics {
        frequencies = Map.copyOf(frequencies);
        fieldFrequencies = Map.copyOf(fieldFrequencies);
        authors = Set.copyOf(authors);
        languages = Set.copyOf(languages);
    }

    /** In how many texts the term is; one where nothing is known, so that new and rare words lead. */
    int frequency(String term) {
        return frequencies.getOrDefault(term, 1);
    }

    /** How many memories have the term in any field, at most. */
    long rows(String term) {
        return (long) frequency(term) + fieldFrequencies.getOrDefault(term, 0);
    }

    /** How much it is charged in the cache. */
    int size() {
        return frequencies.size() + fieldFrequencies.size() + authors.size() + 16;
    }
}
