package io.recallgate.embedding.remote;

import java.util.ArrayList;
import java.util.List;

/** Which rows go into one request. Pure. */
final class BatchPlan {

    /** OpenAI refuses a request with more. */
    static final int MAX_TOKENS = 300_000;

    private BatchPlan() {}

    /**
     * Neighbouring rows, cut into requests.
     *
     * @param rows at least one
     * @param maxRows of one request
     * @return in order; each has a row, at most {@code maxRows}, and at most {@value #MAX_TOKENS} tokens even if each
     *     byte were one, unless it has a single row
     */
    static List<List<ProviderRow>> of(List<ProviderRow> rows, int maxRows) {
        List<List<ProviderRow>> parts = new ArrayList<>();
        List<ProviderRow> part = new ArrayList<>();
        long tokens = 0;
        for (ProviderRow row : rows) {
            boolean fits = part.size() < maxRows && tokens + row.mostTokens() <= MAX_TOKENS;
            if (!part.isEmpty() && (!fits || part.get(0).isTokens() != row.isTokens())) {
                parts.add(List.copyOf(part));
                part.clear();
                tokens = 0;
            }
            part.add(row);
            tokens += row.mostTokens();
        }
        parts.add(List.copyOf(part));
        return parts;
    }
}
