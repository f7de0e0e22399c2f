package io.recallgate.recall.lexical;

import java.util.UUID;

/**
 * One memory found by words.
 *
 * @param memoryId the memory
 * @param score BM25, or for an order that is not by relevance a number that falls with the rank
 */
public record LexicalHit(UUID memoryId, double score) {}
