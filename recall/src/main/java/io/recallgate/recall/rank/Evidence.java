package io.recallgate.recall.rank;

import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What is known of a memory that may be a hit.
 *
 * @param id the memory
 * @param words its BM25 score, zero when it has none of the words
 * @param lexicalRank among those with words, from 1; null when it has none
 * @param wordParts what the BM25 score is made of; they add up to it
 * @param similarity its cosine to the question; null when it has no vector
 * @param vectorRank among the nearest of the scope, from 1; null when it is not one of them
 * @param authored whether it is by somebody whom the question names
 * @param pinned whether it is pinned, where that counts
 */
public record Evidence(
        UUID id,
        double words,
        @Nullable Integer lexicalRank,
        Map<String, Double> wordParts,
        @Nullable Double similarity,
        @Nullable Integer vectorRank,
        boolean authored,
        boolean pinned) {

    /** Copies the parts. */
    public Evidence {
        wordParts = Map.copyOf(wordParts);
    }

    /** One that the words found. */
    public static Evidence ofWords(UUID id, double score, int rank, Map<String, Double> parts) {
        return new Evidence(id, score, rank, parts, null, null, false, false);
    }

    /** One that only the meaning found. */
    static Evidence ofMeaning(UUID id, double similarity, int rank) {
        return new Evidence(id, 0, null, Map.of(), similarity, rank, false, false);
    }

    Evidence near(double cosine, @Nullable Integer rank) {
        return new Evidence(id, words, lexicalRank, wordParts, cosine, rank, authored, pinned);
    }

    Evidence named() {
        return new Evidence(id, words, lexicalRank, wordParts, similarity, vectorRank, true, pinned);
    }

    /** The same, pinned. */
    public Evidence asPinned() {
        return new Evidence(id, words, lexicalRank, wordParts, similarity, vectorRank, authored, true);
    }
}
