package io.recallgate.gateway.conversation.fit;

/**
 * What there is room for.
 *
 * @param input tokens that the whole request may have
 * @param memory tokens of it that memory blocks take, old and new
 */
public record FitBudget(long input, long memory) {

    /** For a model whose window is not known: everything fits. */
    public static final FitBudget UNKNOWN = new FitBudget(Long.MAX_VALUE / 4, 0);
}
