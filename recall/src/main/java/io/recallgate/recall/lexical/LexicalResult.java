package io.recallgate.recall.lexical;

import java.util.List;

/**
 * What the lexical leg found.
 *
 * @param hits best first
 * @param relevant whether the order says anything about the question: the newest memories, which answer a question
 *     without words, are not relevant to it and take no part in a fused ranking
 */
public record LexicalResult(List<LexicalHit> hits, boolean relevant) {

    /** Copies the hits. */
    public LexicalResult {
        hits = List.copyOf(hits);
    }
}
