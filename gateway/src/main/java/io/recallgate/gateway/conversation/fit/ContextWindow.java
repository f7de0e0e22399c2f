package io.recallgate.gateway.conversation.fit;

import org.jspecify.annotations.Nullable;

/**
 * How many tokens a model takes.
 *
 * @param context tokens of a request and its answer together, from 1 on
 * @param reserve tokens kept for the answer when the request does not say
 * @param input tokens of a request alone; no more than the context
 */
public record ContextWindow(int context, int reserve, int input) {

    /** Refuses what leaves no room. */
    public ContextWindow {
        if (context < 1 || reserve < 0 || reserve >= context || input < 1 || input > context) {
            throw new IllegalArgumentException("no window: " + context + " tokens, of them " + reserve
                    + " for the answer and at most " + input + " for the request");
        }
    }

    /**
     * Tokens that a request may have; 0 when its answer may take all.
     *
     * @param outputLimit tokens that the answer may have, null when the request does not say
     */
    public int budget(@Nullable Integer outputLimit) {
        return Math.max(0, Math.min(input, context - (outputLimit == null ? reserve : outputLimit)));
    }
}
