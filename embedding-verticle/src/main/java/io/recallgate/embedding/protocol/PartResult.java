package io.recallgate.embedding.protocol;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What became of one {@link SlicePart}.
 *
 * @param operationId whose rows these are
 * @param rowOffset as in the part
 * @param rows results of the part's first rows, in order; all of them, or fewer if the slice ended or failed first
 * @param failure null unless the row after the last finished one failed by itself
 * @param timing what the part has cost in this slice, failed rows included
 */
public record PartResult(
        long operationId,
        int rowOffset,
        List<RowResult> rows,
        @Nullable RunFailure failure,
        PartTiming timing) {
    /** Copies the rows. */
    public PartResult {
        rows = List.copyOf(rows);
    }
}
