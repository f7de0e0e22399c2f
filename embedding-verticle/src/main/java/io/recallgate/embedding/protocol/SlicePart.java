package io.recallgate.embedding.protocol;

import io.recallgate.embedding.api.EmbedInput;
import io.recallgate.embedding.api.InputType;
import java.util.List;

/**
 * The rows that a slice takes from one operation.
 *
 * @param operationId whose rows these are
 * @param inputType which prefix they get
 * @param rowOffset index of the first of them in the operation, from zero
 * @param rows at least one
 */
public record SlicePart(long operationId, InputType inputType, int rowOffset, List<EmbedInput> rows) {
    /** Copies the rows. */
    public SlicePart {
        rows = List.copyOf(rows);
        if (rows.isEmpty() || rowOffset < 0) {
            throw new IllegalArgumentException("no rows, or a negative offset");
        }
    }
}
