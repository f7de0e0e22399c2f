package io.recallgate.gateway.conversation.fit;

import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What there is room for.
 *
 * @param input tokens that the whole request may have
 * @param memory tokens of it that are taken in any case, such as those of the newest memory block
 * @param blocks tokens of the memory blocks of earlier turns, by the message that has one: left out with it
 */
public record FitBudget(long input, long memory, SortedMap<Integer, Long> blocks) {

    /** For a model whose window is not known: everything fits. */
    public static final FitBudget UNKNOWN = new FitBudget(Long.MAX_VALUE / 4, 0);

    /** Copies the map. */
    public FitBudget {
        blocks = Collections.unmodifiableSortedMap(new TreeMap<>(blocks));
    }

    /** Without blocks of earlier turns. */
    public FitBudget(long input, long memory) {
        this(input, memory, new TreeMap<>());
    }

    /** Tokens of all memory that goes with the messages from {@code firstKept} on. */
    long memoryFrom(int firstKept) {
        return memory
                + blocks.tailMap(firstKept).values().stream()
                        .mapToLong(Long::longValue)
                        .sum();
    }
}
