package io.recallgate.recall.lexical;

import java.util.Map;
import java.util.UUID;

/**
 * One memory found by words.
 *
 * @param memoryId the memory
 * @param score BM25, or for an order that is not by relevance a number that falls with the rank
 * @param parts what the score is made of, by the names in {@link LexicalPart}; empty for such an order
 */
public record LexicalHit(UUID memoryId, double score, Map<LexicalPart, Double> parts) {

    /** Copies the parts. */
    public LexicalHit {
        parts = Map.copyOf(parts);
    }
}
