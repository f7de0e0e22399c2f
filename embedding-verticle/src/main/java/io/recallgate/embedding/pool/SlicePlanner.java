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

    /**
     * Bytes of UTF-8 that make a token at least, as a rule: a CJK character is one token of three bytes, and a word of
     * English one of five with its space.
     */
    private static final int USUAL_BYTES_PER_TOKEN = 3;

    /**
     * Windows that a slice of rows which run one by one is usually not longer than. With one, two workers reached 0.96
     * of a bare loop's throughput at 64 and 256 tokens ({@code ./recallgate bench pool throughput}), and with two 0.98
     * at 64; more would mostly let queries wait longer.
     */
    static final int SERIES_WINDOWS = 2;

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
     * @param together whether its rows share a run. If not they run one by one and gain nothing from company beyond one
     *     dispatch, while a query waits for all of them: together they are usually no longer than some full windows
     */
    record Bounds(int rows, int paddedTokens, int maxTokens, boolean shared, boolean together) {}

    /**
     * Takes rows in order, from the first candidate on, until a bound is met. Never skips ahead, so nothing starves.
     *
     * @param candidates at least one, in the order of their turn
     * @return one part for each of the first candidates, in their order
     */
    static List<SlicePart> plan(List<Candidate> candidates, Bounds bounds) {
        List<SlicePart> parts = new ArrayList<>();
        int rows = 0;
        int longest = 0;
        int usual = 0;
        for (Candidate candidate : candidates) {
            if (rows > 0 && (candidate.alone() || !bounds.shared())) {
                break;
            }
            int row = candidate.nextRow();
            int rowLimit = candidate.alone() ? 1 : bounds.rows();
            while (row < candidate.inputs().size() && rows < rowLimit) {
                EmbedInput input = candidate.inputs().get(row);
                int grown = Math.max(longest, estimate(input, bounds.maxTokens()));
                usual += bounds.together() ? 0 : usual(input, bounds.maxTokens());
                if (rows > 0
                        && ((long) grown * (rows + 1) > bounds.paddedTokens()
                                || usual > SERIES_WINDOWS * bounds.maxTokens())) {
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
                : ((EmbedInput.Tokens) input).count();
        return (int) Math.min(maxTokens, worst + EXTRA_TOKENS);
    }

    /** Tokens of a row as it mostly is, rather more than fewer. */
    static int usual(EmbedInput input, int maxTokens) {
        if (!(input instanceof EmbedInput.Text text)) {
            return estimate(input, maxTokens);
        }
        String words = text.text();
        long bytes = 0;
        for (int at = 0; at < words.length() && bytes < (long) USUAL_BYTES_PER_TOKEN * maxTokens; at++) {
            char unit = words.charAt(at);
            // A pair of surrogates is four bytes.
            bytes += unit < 0x80 ? 1 : unit < 0x800 || Character.isSurrogate(unit) ? 2 : 3;
        }
        return (int) Math.min(maxTokens, bytes / USUAL_BYTES_PER_TOKEN + EXTRA_TOKENS);
    }
}
