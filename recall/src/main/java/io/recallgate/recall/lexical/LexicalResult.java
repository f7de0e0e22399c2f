package io.recallgate.recall.lexical;

import java.util.List;
import java.util.Set;
import java.util.UUID;

/**
 * What the lexical leg found.
 *
 * @param hits best first
 * @param relevant whether the order says anything about the question: the newest memories, which answer a question
 *     without words, are not relevant to it and take no part in a fused ranking
 * @param authored which memories, of all that were looked at, are by somebody whom the question names
 * @param pinned which of them are pinned
 */
public record LexicalResult(List<LexicalHit> hits, boolean relevant, Set<UUID> authored, Set<UUID> pinned) {

    /** Copies. */
    public LexicalResult {
        hits = List.copyOf(hits);
        authored = Set.copyOf(authored);
        pinned = Set.copyOf(pinned);
    }

    /** One in which no author is known. */
    LexicalResult(List<LexicalHit> hits, boolean relevant) {
        this(hits, relevant, Set.of(), Set.of());
    }
}
