package io.recallgate.embedding.pool;

import io.recallgate.embedding.api.EmbedInput;
import io.recallgate.embedding.api.InputType;
import io.recallgate.embedding.protocol.SlicePart;
import java.util.ArrayList;
import java.util.List;

/** From waiting work to one slice. A pure function. */
final class SlicePlanner {

    /**
     * A UTF-16 code unit is three bytes of UTF-8 at most, and no tokenizer makes more than a token of a byte; room for a
     * prefix and special tokens beside it.
     */
    private static final int TOKENS_PER_CHAR = 3;

    private static final int EXTRA_TOKENS = 16;

    private SlicePlanner() {}

    /**
     * Work that may go into a slice.
     *
     * @param nextRow first row that is not done
     * @param alone whether its rows must run one to a slice
     */
    record Candidate(long operationId, InputType inputType, List<EmbedInput> inputs, int nextRow, boolean alone) {}

    /**
     * Bounds of the slice.
     *
     * @param rows at most, at least 1
     * @param paddedTokens rows times longest row at most; one row is taken even if it is longer
     * @param maxTokens the model's window: no row counts more
     * @param shared whether several operations may share the slice
     */
    record Bounds(int rows, int paddedTokens, int maxTokens, boolean shared) {}

    /**
     * Takes rows in order, from the first candidate on, until a bound is met. Never skips ahead, so nothing starves.
     *
     * @param candidates at least one, in the order of their turn
     */
    static List<SlicePart> plan(List<Candidate> candidates, Bounds bounds) {
        List<SlicePart> parts = new ArrayList<>();
        int rows = 0;
        int longest = 0;
        for (Candidate candidate : candidates) {
            if (rows > 0 && (candidate.alone() || !bounds.shared())) {
                break;
            }
            int row = candidate.nextRow();
            int rowLimit = candidate.alone() ? 1 : bounds.rows();
            while (row < candidate.inputs().size() && rows < rowLimit) {
                int grown = Math.max(longest, estimate(candidate.inputs().get(row), bounds.maxTokens()));
                if (rows > 0 && (long) grown * (rows + 1) > bounds.paddedTokens()) {
                    break;
                }
                longest = grown;
                rows++;
                row++;
            }
            if (row > candidate.nextRow()) {
                parts.add(new SlicePart(
                        candidate.operationId(),
                        candidate.inputType(),
                        candidate.nextRow(),
                        candidate.inputs().subList(candidate.nextRow(), row)));
            }
            if (row < candidate.inputs().size() || candidate.alone()) {
                break;
            }
        }
        return parts;
    }

    /** Tokens of a row in the worst case. */
    static int estimate(EmbedInput input, int maxTokens) {
        long worst = input instanceof EmbedInput.Text text
                ? (long) TOKENS_PER_CHAR * text.text().length()
                : input.chargedBytes() / Integer.BYTES;
        return (int) Math.min(maxTokens, worst + EXTRA_TOKENS);
    }
}
