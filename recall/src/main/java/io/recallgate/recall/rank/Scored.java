package io.recallgate.recall.rank;

import java.util.Comparator;
import java.util.UUID;

/**
 * A memory and what one signal says of it.
 *
 * @param id the memory
 * @param score finite; higher is better; the scale is the signal's own
 */
public record Scored(UUID id, double score) {

    /** Best first, ties by id. */
    public static final Comparator<Scored> BEST_FIRST =
            Comparator.comparingDouble(Scored::score).reversed().thenComparing(Scored::id, IdOrder.BYTES);
}
