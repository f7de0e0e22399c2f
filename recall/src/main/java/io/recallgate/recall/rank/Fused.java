package io.recallgate.recall.rank;

import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A memory in the fused order.
 *
 * @param id the memory
 * @param score sum of the signals
 * @param lexicalRank from 1, null when the words did not find it
 * @param vectorRank from 1, null when the meaning did not find it
 * @param signals each signal's part of the score; a signal that says nothing is absent
 * @param wordParts where the words' part comes from, by the names of its fields
 */
public record Fused(
        UUID id,
        double score,
        @Nullable Integer lexicalRank,
        @Nullable Integer vectorRank,
        Map<String, Double> signals,
        Map<String, Double> wordParts) {

    /** Copies. */
    public Fused {
        signals = Map.copyOf(signals);
        wordParts = Map.copyOf(wordParts);
    }
}
